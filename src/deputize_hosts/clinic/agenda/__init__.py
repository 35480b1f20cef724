"""Appointments, cabinets and the rule that nobody is booked twice."""
