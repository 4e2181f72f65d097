import HoistJSON

/// Unleash's kinds of vectors; one file for each.
let unleash = Vendor(
  kinds: [
    "spec": runSpecification,
    "hash": runHash,
    "evaluate": runEvaluate,
    "distribution": runDistribution,
    "frontend_response": runFrontendResponse,
    "frontend_decode": runFrontendDecode,
    "delta": runDelta,
    "state": runState,
    "metrics": runMetrics,
    "impact_metrics": runImpactMetrics,
    "frontend_url": runFrontendURL,
    "frontend_context": runFrontendContext,
    "frontend_session": runFrontendSession,
    "frontend_metrics": runFrontendMetrics,
  ],
  kindOfUnnamed: { root in
    root["tests"] != nil || root["variantTests"] != nil ? "spec" : nil
  })
