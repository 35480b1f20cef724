"""What officers thought of a finding; it changes nothing about the finding."""
