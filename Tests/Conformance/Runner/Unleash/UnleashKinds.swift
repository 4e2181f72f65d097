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
    // Kinds of the client, not of the evaluator: run where a client runs.
    "metrics": leaveToClient,
    "impact_metrics": leaveToClient,
    "frontend_url": leaveToClient,
    "frontend_context": leaveToClient,
    "frontend_session": leaveToClient,
    "frontend_metrics": leaveToClient,
  ],
  kindOfUnnamed: { root in
    root["tests"] != nil || root["variantTests"] != nil ? "spec" : nil
  })

private func leaveToClient(_ root: JSONValue, _ report: Report) {
  let kind = root["kind"]?.string ?? ""
  report.skip(root["cases"]?.array?.count ?? 0, reason: "\(kind): a client's work, not the evaluator's")
}
