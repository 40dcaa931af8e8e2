"""What every puzzle must do, ours and somebody's own: each point is tried, and what fails is a
sentence with the remedy.
"""
