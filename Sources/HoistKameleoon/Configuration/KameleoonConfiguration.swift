internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Configurations, as the service sends them (protocols/kameleoon.md 2.3).
enum KameleoonConfiguration {
  /// - Parameter text: JSON, borrowed for the call.
  static func compile(
    _ text: some ByteSource, _ options: ConfigurationOptions = ConfigurationOptions()
  ) throws(KameleoonConfigurationFailure) -> CompiledConfiguration {
    try text.withBytes { text in Result { () throws(KameleoonConfigurationFailure) in try read(text, options) } }.get()
  }

  private static func read(
    _ text: ByteView, _ options: ConfigurationOptions
  ) throws(KameleoonConfigurationFailure) -> CompiledConfiguration {
    let compiled: CompiledConfiguration??
    var listsFlags = false
    var isOther = false
    do throws(JSONFailure) {
      compiled = try JSONNode.parse(text) { document in
        guard document.object != nil else { return .none }
        isOther = !isConfiguration(document)
        if isOther { return .none }
        listsFlags = document["featureFlags"]?.array?.isEmpty == false
        return .some(ConfigurationCompiler(options, expectedBytes: text.count &* 2).compile(document))
      }
    } catch {
      throw KameleoonConfigurationFailure(message: "the configuration is no JSON: \(error)")
    }
    if isOther { throw KameleoonConfigurationFailure(message: "it is an object, but no configuration") }
    guard let compiled else { throw KameleoonConfigurationFailure(message: "the configuration is no JSON object") }
    guard let compiled else {
      throw KameleoonConfigurationFailure(message: "the configuration is too large, or memory has run out")
    }
    guard compiled.snapshot.flagCount > 0 || !listsFlags else {
      compiled.snapshot.destroy()
      throw KameleoonConfigurationFailure(message: "none of the configuration's flags can be read")
    }
    return compiled
  }
}

extension KameleoonConfiguration {
  private static let members: [StaticString] = [
    "configuration", "dateModified", "customData", "segments", "featureFlags", "holdout",
  ]

  /// What a service answers with that has nothing to say may be an object, too: it must not take the place of the last good
  /// configuration. An empty object is a configuration without flags.
  private static func isConfiguration(_ document: JSONNode) -> Bool {
    if let flags = document["featureFlags"]?.unlessNull, flags.array == nil { return false }
    return document.object?.isEmpty == true || members.contains { document[$0] != nil }
  }
}

/// What else has to be known of a configuration.
extension Snapshot {
  @inline(__always)
  var kameleoonRoot: UnsafePointer<KameleoonRoot> { base.at(head.pointee.rootOffset) }

  /// Whether visitors have to consent (protocols/kameleoon.md 3.8).
  var requiresConsent: Bool { kameleoonRoot.pointee.requiresConsent }

  /// Copied.
  var customDataDefinitions: CustomDataDefinitions {
    let root = kameleoonRoot
    let records = UnsafeBufferPointer<CustomDataRecord>(start: base.at(root.pointee.customData), count: Int(root.pointee.customDataCount))
    return CustomDataDefinitions(
      records.map {
        CustomDataDefinition(
          id: $0.id, index: $0.index, name: Array($0.name.bytes(base)), isVisitorScoped: $0.isVisitorScoped,
          isLocalOnly: $0.isLocalOnly, isMappingIdentifier: $0.isMappingIdentifier)
      })
  }

  /// Keys that are new, gone or different.
  func changedFeatures(since former: Snapshot?) -> [String] {
    changedNames(since: former) { $0.assumingMemoryBound(to: FlagRecord.self).pointee.fingerprint }
  }
}
