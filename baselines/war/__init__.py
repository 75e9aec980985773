"""WAR's compiled simulator."""
