"""Study role-conflict: does urgency decide, or the role?"""
