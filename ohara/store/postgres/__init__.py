"""The engine of a team: many repositories on one PostgreSQL server. All its SQL, and all use of psycopg."""
