"""Tree search for simultaneous moves: `policy.SearchPolicy` plays what searches recommend."""
