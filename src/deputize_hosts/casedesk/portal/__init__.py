"""What a customer sees of their own case, and never anything else."""
