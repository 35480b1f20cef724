"""Cases: companies, their persons, evidence and notes, and the decision about them."""
