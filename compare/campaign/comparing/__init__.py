"""All records of a campaign compared: results in little memory, what is shown whole, what times are worth."""
