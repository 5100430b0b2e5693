"""Study compare: do models or prompts choose differently on the same stories?"""
