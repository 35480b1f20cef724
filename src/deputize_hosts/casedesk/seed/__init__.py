"""The demonstration data: two firms, ten sign-ins and some 25 cases that each tell a story."""
