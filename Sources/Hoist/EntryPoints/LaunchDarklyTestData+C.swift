public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_test_data_new") @implementation
public func hoist_launchdarkly_test_data_new() -> OpaquePointer { Handle<TestRules>.give(TestRules()) }

@_cdecl("hoist_launchdarkly_test_data_free") @implementation
public func hoist_launchdarkly_test_data_free(_ data: OpaquePointer?) { Handle<TestRules>.take(data) }

@_cdecl("hoist_launchdarkly_test_data_set_flag") @implementation
public func hoist_launchdarkly_test_data_set_flag(
  _ data: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  set(data, json, length, error, "flag") { $0.setFlag($1) }
}

@_cdecl("hoist_launchdarkly_test_data_set_segment") @implementation
public func hoist_launchdarkly_test_data_set_segment(
  _ data: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  set(data, json, length, error, "segment") { $0.setSegment($1) }
}

private func set(
  _ data: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?,
  _ noun: String, _ set: (TestRules, ByteView) -> String?
) -> hoist_status {
  attempt(error) {
    let rules = try Handle<TestRules>.need(data, "data")
    let problem = Array(try CString.json(json, length)).withBytes { set(rules, $0) }
    if let problem { throw Refusal(.parse, "the \(noun) cannot be read: \(problem)") }
  }
}

@_cdecl("hoist_launchdarkly_config_set_test_data") @implementation
public func hoist_launchdarkly_config_set_test_data(_ config: OpaquePointer?, _ data: OpaquePointer?) -> hoist_status {
  attempt {
    let config = try Handle<ConfigBox>.need(config, "config")
    let rules = try Handle<TestRules>.need(data, "data")
    try config.require("launchdarkly", "test data")
    try config.values.set("mode", "server")
    config.plugins.vendor[TestRules.slot] = rules
  }
}
