"""The test suite: unit and property tests, integration with real repositories, contracts, snapshots."""
