"""The demonstration data: two clinics, eight sign-ins, some 200 patients, three weeks of appointments."""
