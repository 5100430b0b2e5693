"""Study ordinal-alignment: how far are models' answers from the people's most frequent one?"""
