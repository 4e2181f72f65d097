"""An HTTP service that a test harness drives: it makes LaunchDarkly clients of Hoist and runs commands on them."""
