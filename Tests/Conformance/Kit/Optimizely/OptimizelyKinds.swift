import HoistJSON

/// Optimizely's kinds of vectors; their files name none, so it is told from the members of the first case.
let optimizely = Vendor(
  kinds: [
    "bucketing": runBucketing,
    "audience_leaf": runAudienceLeaf,
    "semver": runTargetVersions,
    "condition_tree": runConditionTree,
    "decide": runDecide,
    "user_profile": runUserProfile,
    "track": runTrack,
    "legacy_api": runLegacyCalls,
    "variables": runVariables,
    "cmab": runPredictions,
    "optimizely_config": runOptimizelyConfig,
    "datafile_parse": runDatafileParse,
    "odp": runDataPlatform,
    "event_batching": runEventBatching,
  ],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    if first["bucketValue"] != nil { return "bucketing" }
    if first["condition"] != nil { return "audience_leaf" }
    if first["target"] != nil { return "semver" }
    if first["tree"] != nil { return "condition_tree" }
    if first["expectBatches"] != nil { return "event_batching" }
    if first["kind"] != nil { return "odp" }
    if first["eventKey"] != nil { return "track" }
    if first["oracleValue"] != nil { return "variables" }
    if first["note"] != nil, first["datafile"]?.string != nil { return "datafile_parse" }
    if first["expectNotificationTypes"] != nil { return "legacy_api" }
    if let steps = first["steps"] {
      return steps.array?.element(at: 0)?["serverScript"] != nil ? "cmab" : "user_profile"
    }
    if first["call"] != nil { return "decide" }
    return first["expect"] != nil ? "optimizely_config" : "unknown"
  })

/// Runs `body` for every case with an id made of its place.
func forEachCase(_ root: JSONValue, _ body: (_ id: String, _ test: JSONValue) -> Void) {
  for (index, test) in (root["cases"]?.array ?? nil)?.enumerated().map({ $0 }) ?? [] { body("\(index)", test) }
}
