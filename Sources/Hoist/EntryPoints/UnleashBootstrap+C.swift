public import CHoist
internal import HoistCore
internal import HoistUnleash

/// What a `hoist_unleash_bootstrap` handle holds. One thread at a time.
final class BootstrapBox {
  static let maximumToggles = 100_000
  var toggles: [UnleashToggle] = []
  /// A whole document, in place of single toggles.
  let given: [UInt8]?
  /// What logs say of its file.
  let doubts: [String]

  init() { (given, doubts) = (nil, []) }

  /// - Throws: for a document that cannot be read.
  init(of document: [UInt8], doubts: [String] = []) throws(Refusal) {
    if let problem = UnleashToggle.problem(in: document) { throw Refusal(.parse, "the bootstrap cannot be read: \(problem)") }
    (given, self.doubts) = (document, doubts)
  }

  /// The service's answer format.
  var document: [UInt8] { given ?? UnleashToggle.document(toggles) }
}

@_cdecl("hoist_unleash_bootstrap_new") @implementation
public func hoist_unleash_bootstrap_new() -> OpaquePointer { Handle<BootstrapBox>.give(BootstrapBox()) }

@_cdecl("hoist_unleash_bootstrap_free") @implementation
public func hoist_unleash_bootstrap_free(_ bootstrap: OpaquePointer?) { Handle<BootstrapBox>.take(bootstrap) }

@_cdecl("hoist_unleash_bootstrap_add") @implementation
public func hoist_unleash_bootstrap_add(
  _ bootstrap: OpaquePointer?, _ toggle: UnsafePointer<hoist_unleash_toggle>?
) -> hoist_status {
  guard let box = Handle<BootstrapBox>.borrow(bootstrap), let toggle, let read = CToggle.read(toggle) else {
    return Status.argument.rawValue
  }
  guard box.toggles.count < BootstrapBox.maximumToggles else { return Status.limit.rawValue }
  guard box.given == nil else { return Status.state.rawValue }
  box.toggles.append(read)
  return Status.ok.rawValue
}

@_cdecl("hoist_unleash_bootstrap_from_json") @implementation
public func hoist_unleash_bootstrap_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) { Handle.give(try BootstrapBox(of: Array(try CString.json(json, length)))) }
}

@_cdecl("hoist_unleash_bootstrap_from_file") @implementation
public func hoist_unleash_bootstrap_from_file(
  _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) {
    var doubts: [String] = []
    let document = try FileContent.read(path: try CString.needPath(path), limitBytes: 64 << 20) {
      doubts.append("bootstrap: \($0)")
    }
    return Handle.give(try BootstrapBox(of: document, doubts: doubts))
  }
}

@_cdecl("hoist_unleash_config_set_bootstrap") @implementation
public func hoist_unleash_config_set_bootstrap(_ config: OpaquePointer?, _ bootstrap: OpaquePointer?) -> hoist_status {
  attempt {
    let config = try Handle<ConfigBox>.need(config, "config")
    let bootstrap = try Handle<BootstrapBox>.need(bootstrap, "bootstrap")
    try config.require("unleash", "a bootstrap")
    try config.values.set("bootstrap", String(decoding: bootstrap.document, as: UTF8.self))
    config.values.doubts += bootstrap.doubts
  }
}

@_cdecl("hoist_unleash_config_set_poller") @implementation
public func hoist_unleash_config_set_poller(_ config: OpaquePointer?, _ poller: OpaquePointer?) -> hoist_status {
  attempt {
    let config = try Handle<ConfigBox>.need(config, "config")
    let poller = try Handle<ConfigBox>.need(poller, "poller")
    for box in [config, poller] { try box.require("unleash", "a poller") }
    config.plugins.vendor[UnleashPlugins.poller] = UnleashPoller(
      values: poller.values, headerProvider: poller.plugins.headerProvider)
    if let storage = poller.plugins.vendor[UnleashPlugins.storage] { config.plugins.vendor[UnleashPlugins.storage] = storage }
  }
}

/// Toggles between C and Swift.
enum CToggle {
  /// nil for a NULL or empty name, a bad struct_size, or invalid UTF-8.
  static func read(_ toggle: UnsafePointer<hoist_unleash_toggle>) -> UnleashToggle? {
    var zero = hoist_unleash_toggle()
    zero.variant_feature_enabled = -1
    guard let told = HostTable.read(toggle, zero: zero),
      let name = CString.text(told.name), !name.isEmpty
    else { return nil }
    for text in [told.variant_name, told.payload_type, told.payload_value] where text != nil && CString.text(text) == nil {
      return nil
    }
    var toggle = UnleashToggle(name: name, isEnabled: told.enabled, hasImpressionData: told.impression_data)
    guard let variant = CString.text(told.variant_name) else { return toggle }
    var payload: UnleashToggle.Payload?
    if let type = CString.text(told.payload_type) {
      payload = UnleashToggle.Payload(type: type, value: CString.text(told.payload_value) ?? "")
    }
    toggle.variant = UnleashToggle.Variant(
      name: variant, isEnabled: told.variant_enabled,
      featureEnabled: told.variant_feature_enabled < 0 ? nil : told.variant_feature_enabled != 0, payload: payload)
    return toggle
  }
}
