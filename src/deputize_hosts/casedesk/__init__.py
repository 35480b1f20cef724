"""The case desk host: KYB and AML cases, an approval gate that chat can never clear, and a customer portal."""
