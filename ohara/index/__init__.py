"""The write path: what is not indexed yet, taken apart and stored, pass by pass, newest first."""
