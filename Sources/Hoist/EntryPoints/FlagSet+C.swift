public import CHoist
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_flag_set_new") @implementation
public func hoist_flag_set_new() -> OpaquePointer? { Handle<FlagSet>.give(FlagSet()) }

@_cdecl("hoist_flag_set_free") @implementation
public func hoist_flag_set_free(_ set: OpaquePointer?) { Handle<FlagSet>.take(set) }

@_cdecl("hoist_flag_set_add") @implementation
public func hoist_flag_set_add(
  _ set: OpaquePointer?, _ flag: UnsafePointer<hoist_flag>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) { try FlagSet.add(flag, to: set) }
}

@_cdecl("hoist_flag_set_limit_to") @implementation
public func hoist_flag_set_limit_to(_ set: OpaquePointer?, _ context: OpaquePointer?) -> hoist_status {
  guard let set = Handle<FlagSet>.borrow(set), let context = ContextHandle.frozen(context, { $0.fingerprint }) else {
    return Status.argument.rawValue
  }
  // 0 stands for any context.
  set.contextFingerprint = max(context, 1)
  return Status.ok.rawValue
}

@_cdecl("hoist_provider_host_publish") @implementation
public func hoist_provider_host_publish(
  _ host: OpaquePointer?, _ set: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let set = try Handle<FlagSet>.need(set, "the set")
    guard let provider = HostedProvider.handles.borrow(host) else {
      throw Refusal(host == nil ? .argument : .state, "the host is NULL or has ended")
    }
    try provider.publish(set)
  }
}

extension FlagSet {
  /// - Parameters:
  ///   - values: JSON texts in place of the variations' own; nil leaves those.
  ///   - metadata: likewise.
  static func add(
    _ flag: UnsafePointer<hoist_flag>?, to set: OpaquePointer?, values: [[UInt8]]? = nil, metadata: [UInt8]? = nil
  ) throws(Refusal) {
    let set = try Handle<FlagSet>.need(set, "the set")
    guard let flag else { throw Refusal(.argument, "the flag is NULL") }
    guard let told = HostTable.read(flag) else {
      throw Refusal(.argument, "struct_size of the flag is \(HostTable.size(of: flag)), which is no size of a flag")
    }
    if let values, values.count != told.variation_count {
      throw Refusal(.argument, "there is not one value for each variation")
    }
    try set.add(try Flag(told, values, metadata))
  }
}

extension FlagSet.Flag {
  fileprivate init(_ told: hoist_flag, _ values: [[UInt8]]?, _ metadata: [UInt8]?) throws(Refusal) {
    guard let key = CString.array(told.key) else { throw Refusal(.argument, "a flag's key is NULL or not UTF-8") }
    func refuse(_ status: Status, _ what: String) -> Refusal { FlagSet.refusal(of: key, status, what) }
    guard told.variation_count <= FlagSet.maximumVariations, told.variation_count >= 0 else {
      throw refuse(.limit, "has more than \(FlagSet.maximumVariations) variations")
    }
    var variations: [(name: [UInt8], json: [UInt8])] = []
    for index in 0..<told.variation_count {
      guard let variation = told.variations.flatMap({ HostTable.element(of: $0, at: index) }),
        let name = variation.name == nil ? [] : CString.array(variation.name),
        let json = values?[index] ?? (variation.json == nil ? [] : CString.array(variation.json))
      else { throw refuse(.argument, "has a variation \(index) that is NULL, of a wrong struct_size or not UTF-8") }
      variations.append((name, json))
    }
    guard let metadata = metadata ?? (told.metadata == nil ? [] : CString.array(told.metadata)) else {
      throw refuse(.argument, "has metadata that are not UTF-8")
    }
    var traits: HostedFlagTraits = []
    if told.enabled { traits.insert(.enabled) }
    if told.is_decided_per_call { traits.insert(.decidedPerCall) }
    if told.is_recorded { traits.insert(.recorded) }
    self.init(
      key: key, traits: traits, defaultVariation: told.default_variation, variations: variations, metadata: metadata)
  }
}
