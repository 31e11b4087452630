"""What every engine that keeps an index must do; each test runs on each engine."""
