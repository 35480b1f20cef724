"""Facts that officers asked to be remembered; none of them ever silences a finding."""
