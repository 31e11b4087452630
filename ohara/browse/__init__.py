"""What browsing asks of one repository: a commit's details, the history of lines and symbols."""
