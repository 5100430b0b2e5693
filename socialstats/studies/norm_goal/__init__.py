"""Study norm-goal: which action, under which pressure, beside people?"""
