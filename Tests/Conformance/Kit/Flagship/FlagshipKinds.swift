import HoistJSON

/// Flagship's kinds of vectors; their files name none, so it is told from the members of the first case.
let flagship = Vendor(
  kinds: [
    "hash": runFlagshipHash,
    "targeting": runTargeting,
    "targeting_groups": runTargetingGroups,
    "allocation": runAllocation,
    "campaigns": runCampaigns,
    "flag_values": runFlagValues,
    "decision_response": runDecisionResponse,
    "fetch_status": runFetchStatus,
    "context": runContextPairs,
    "wire_decision_request": runDecisionRequests,
    "wire_bucketing": runBucketingDownloads,
    "xpc": runExperienceContinuity,
    "wire_consent": runConsent,
    "wire_activate": runActivates,
    "wire_hits": runHits,
    "hit_validation": runHitValidation,
    "ios_trace": informative,
    "cache_trace": informative,
    "server_examples": informative,
  ],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    if first["enabled1V1T"] != nil { return "server_examples" }
    if first["strategy"] != nil { return "cache_trace" }
    if first["poolMaxSize"] != nil { return "ios_trace" }
    if first["expected"]?["bodyMustContain"] != nil { return "wire_decision_request" }
    if first["expected"]?["sdkStatusAfter"] != nil { return "wire_bucketing" }
    if first["steps"] != nil, first["mode"] != nil { return "fetch_status" }
    if first["step"] != nil, first["consent"] != nil { return "wire_consent" }
    if first["step"]?.string?.hasPrefix("expose ") ?? false { return "wire_activate" }
    if first["newVisitor"] != nil { return "xpc" }
    if first["hit"] != nil { return first["visitorId"] == nil ? "hit_validation" : "wire_hits" }
    if first["expected"]?["accepted"] != nil { return "context" }
    if first["operator"] != nil { return "targeting" }
    if first["targetingGroups"] != nil { return "targeting_groups" }
    if first["variations"] != nil { return "allocation" }
    if first["bucketing"] != nil { return "campaigns" }
    if first["defaultType"] != nil { return "flag_values" }
    if first["response"] != nil { return "decision_response" }
    return first["variationGroupId"] != nil ? "hash" : "unknown"
  })

private func informative(_ root: JSONValue, _ report: Report) {
  report.skip(root["cases"]?.array?.count ?? 0, reason: "for information: what other programs of the vendor did")
}
