public import HoistBase
internal import HoistCore
internal import HoistJSON

/// Answers of the frontend endpoint, and bootstrap data of the same form: values for one context.
public enum UnleashToggles {
  /// Compiles `{"toggles":[…]}` (protocols/unleash.md B.4); one bad toggle refuses the whole document. Of
  /// toggles of one name the first counts.
  /// - Parameters:
  ///   - bytes: borrowed for the call.
  ///   - context: the context they were fetched for; nil serves them to every context.
  ///   - listsAll: the service sent them, which lists what is on: what is not listed is off, and not unknown.
  public static func compile(
    _ bytes: some ByteSource, context: ContextFingerprint?, listsAll: Bool = false, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    try bytes.withBytes { bytes in
      Result { () throws(UnleashDocumentFailure) in try compile(bytes, context, listsAll, options) }
    }.get()
  }

  /// Whether a document is well-formed so far, and lists no toggles.
  static func isEmptyList(_ document: [UInt8]) -> Bool {
    document.withBytes { bytes in
      guard let parts = try? DocumentParts(bytes, UnleashLimits()),
        let toggles = try? parts.members(["toggles"], of: "the document")[0]
      else { return false }
      return (try? parts.elements(toggles, of: "toggles"))?.isEmpty ?? false
    }
  }

  private static func compile(
    _ bytes: ByteView, _ context: ContextFingerprint?, _ listsAll: Bool, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    let parts = try DocumentParts(bytes, options.limits)
    guard let toggles = try parts.members(["toggles"], of: "the document")[0] else {
      throw UnleashDocumentFailure("toggles must be there")
    }
    var compiler = ToggleCompiler(options, expectedBytes: bytes.count)
    try parts.forEachFlag(toggles, of: "toggles") { value throws(JSONDecodingError) in compiler.add(try ToggleDefinition(value)) }
    guard let snapshot = compiler.finish(context: context, listsAll: listsAll) else {
      throw UnleashDocumentFailure("the configuration is too large, or memory has run out")
    }
    return UnleashCompilation(snapshot: snapshot, warnings: [])
  }
}

/// A toggle as the service sends it. Texts are borrowed from the document.
struct ToggleDefinition {
  var name: ByteView
  var enabled: Bool
  var impressionData = false
  var variant: Variant?

  struct Variant {
    var name: ByteView
    var enabled: Bool
    var featureEnabled: Bool?
    var payload: PayloadDefinition?
  }

  init(_ value: JSONNode) throws(JSONDecodingError) {
    name = try value.needed("name", .text)
    enabled = try value.needed("enabled", .bool)
    // Anything but a boolean reads as false.
    impressionData = value["impressionData"]?.bool ?? false
    variant = try value.optional("variant", Variant.init)
  }
}

extension ToggleDefinition.Variant {
  init(_ value: JSONNode) throws(JSONDecodingError) {
    name = try value.needed("name", .text)
    enabled = try value.needed("enabled", .bool)
    featureEnabled = try value.optional("feature_enabled", .bool)
    payload = try value.optional("payload", PayloadDefinition.init)
  }
}

/// Lays toggles out as a snapshot. Used once; texts are borrowed for each call.
private struct ToggleCompiler: ~Copyable {
  private var builder: SnapshotBuilder
  private let options: UnleashOptions
  private var names: Set<BytesKey> = []
  private var arena = TextArena()
  private let disabledName: TextReference

  init(_ options: UnleashOptions, expectedBytes: Int) {
    self.options = options
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
    disabledName = builder.text("disabled")
  }

  mutating func add(_ toggle: ToggleDefinition) {
    guard !names.contains(BytesKey(toggle.name)) else { return }
    names.insert(BytesKey(arena.keep(toggle.name)))
    let name = builder.text(toggle.name)
    var record = UnleashFlagRecord(head: FlagHead(name: name))
    record.constantReason = toggle.enabled ? .targetingMatch : .default
    if toggle.enabled { record.traits.insert(.enabled) }
    if toggle.impressionData || options.impressionDataAll { record.traits.insert(.impression) }
    if options.countsReads {
      record.traits.insert(.counted)
      record.head.cellCount = toggle.variant.map { !$0.name.reads("disabled") } ?? false ? 4 : 3
      record.head.firstCell = builder.cells(record.head.cellCount)
    }
    if let variant = toggle.variant {
      record.variants = addVariant(variant)
      record.variantCount = 1
      record.sentFeatureEnabled = variant.featureEnabled.map { $0 ? 1 : 0 } ?? -1
    }
    record.fingerprint = fingerprint(toggle)
    builder.addFlag(record: builder.append(record), name: name)
  }

  private mutating func addVariant(_ variant: ToggleDefinition.Variant) -> Place<VariantRecord> {
    var record = VariantRecord(name: builder.text(variant.name))
    record.cell = 2
    record.enabled = variant.enabled
    if let payload = variant.payload { record.setPayload(payload, &builder) }
    return builder.append(record)
  }

  private func fingerprint(_ toggle: ToggleDefinition) -> UInt64 {
    var fingerprint = Fingerprint()
    let variant = toggle.variant
    fingerprint.add(toggle.name, toggle.enabled, toggle.impressionData, variant?.name, variant?.enabled ?? false)
    fingerprint.add(variant?.featureEnabled.map { $0 ? 1 : 0 } ?? -1, variant?.payload)
    return fingerprint.value
  }

  consuming func finish(context: ContextFingerprint?, listsAll: Bool) -> Snapshot? {
    var root = SnapshotRoot(disabledName: disabledName)
    root.context = context
    root.isFrontend = true
    let place = builder.append(root)
    var unlisted = UnleashFlagRecord(head: FlagHead(name: .none))
    unlisted.constantReason = .default
    return builder.finish(evaluate: evaluateToggle, root: place, unlisted: listsAll ? builder.append(unlisted).offset : 0)
  }
}
