"""What every puzzle must do, built-in or a user's: each point is tried, and what fails is a
sentence with the remedy.
"""
