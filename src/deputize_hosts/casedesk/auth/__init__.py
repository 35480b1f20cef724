"""Firms, their people, the customers of the portal, roles and the two sign-ins."""
