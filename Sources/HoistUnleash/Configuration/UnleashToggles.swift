public import HoistBase
internal import HoistCore
internal import HoistJSON

/// Answers of the frontend endpoint, and bootstrap data of the same form: values for one context.
public enum UnleashToggles {
  /// Compiles `{"toggles":[…]}` (protocols/unleash.md B.4); one bad toggle refuses the whole document. Of
  /// toggles of one name the first counts.
  /// - Parameters:
  ///   - bytes: borrowed for the call.
  ///   - context: what they were fetched for; nil serves them to every context.
  public static func compile(
    _ bytes: some ByteSource, context: ContextPrint?, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    try bytes.withBytes { bytes in
      Result { () throws(UnleashDocumentFailure) in try compile(bytes, context, options) }
    }.get()
  }

  /// Whether a document is well-formed so far, and lists no toggles.
  static func isEmptyList(_ document: [UInt8]) -> Bool {
    document.withBytes { bytes in
      guard let parts = try? DocumentParts(bytes, UnleashLimits()),
        let toggles = try? parts.members(bytes, ["toggles"], of: "the document")[0]
      else { return false }
      var isEmpty = true
      do { try parts.elements(toggles, of: "toggles", limit: 0) { _, _ in } } catch { isEmpty = false }
      return isEmpty
    }
  }

  private static func compile(
    _ bytes: ByteView, _ context: ContextPrint?, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    let parts = try DocumentParts(bytes, options.limits)
    guard let toggles = try parts.members(bytes, ["toggles"], of: "the document")[0] else {
      throw UnleashDocumentFailure("toggles must be there")
    }
    var compiler = ToggleCompiler(options, expectedBytes: bytes.count)
    try parts.elements(toggles, of: "toggles", limit: options.limits.flags) {
      index, part throws(UnleashDocumentFailure) in
      try parts.parse(part) { value throws(UnleashDocumentFailure) in
        do throws(Misfit) {
          compiler.add(try ToggleDefinition(value))
        } catch {
          throw error.failure(DocumentSubject.flag(value, index))
        }
      }
    }
    guard let snapshot = compiler.finish(context: context) else {
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
    var payload: (type: ByteView, value: ByteView)?
  }

  init(_ value: JSONValue) throws(Misfit) {
    let object = try Shape.object(value)
    guard let name = object["name"] else { throw Misfit("name", "there") }
    guard let enabled = object["enabled"] else { throw Misfit("enabled", "there") }
    self.name = try Shape.text(name, "name")
    self.enabled = try Shape.bool(enabled, "enabled")
    // Anything but a boolean reads as false.
    impressionData = object["impressionData"]?.bool ?? false
    do throws(Misfit) {
      variant = try object["variant"]?.unlessNull.map { value throws(Misfit) in try Variant(value) }
    } catch {
      throw error.within("variant")
    }
  }
}

extension ToggleDefinition.Variant {
  init(_ value: JSONValue) throws(Misfit) {
    let object = try Shape.object(value)
    guard let name = object["name"] else { throw Misfit("name", "there") }
    guard let enabled = object["enabled"] else { throw Misfit("enabled", "there") }
    self.name = try Shape.text(name, "name")
    self.enabled = try Shape.bool(enabled, "enabled")
    if let sent = object["feature_enabled"] { featureEnabled = try Shape.optionalBool(sent, "feature_enabled") }
    guard let payload = object["payload"]?.unlessNull else { return }
    do throws(Misfit) {
      let object = try Shape.object(payload)
      guard let type = object["type"] else { throw Misfit("type", "there") }
      guard let text = object["value"] else { throw Misfit("value", "there") }
      self.payload = (try Shape.text(type, "type"), try Shape.text(text, "value"))
    } catch {
      throw error.within("payload")
    }
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
    var record = FlagRecord(head: FlagHead(name: name))
    record.constantReason = toggle.enabled ? .targetingMatch : .default
    if toggle.enabled { record.traits.insert(.enabled) }
    if toggle.impressionData || options.impressionDataAll { record.traits.insert(.impression) }
    var variantCell: UInt32 = 2
    if let variant = toggle.variant, !variant.name.reads("disabled") {
      (record.head.cellCount, variantCell) = (4, 2)
    } else {
      record.head.cellCount = 3
    }
    if options.countsReads {
      record.traits.insert(.counted)
      record.head.firstCell = builder.cells(record.head.cellCount)
    } else {
      record.head.cellCount = 0
    }
    if let variant = toggle.variant {
      record.variants = addVariant(variant, cell: variantCell)
      record.variantCount = 1
      record.sentFeatureEnabled = variant.featureEnabled.map { $0 ? 1 : 0 } ?? -1
    }
    record.fingerprint = fingerprint(toggle)
    builder.addFlag(record: builder.append(record), name: name)
  }

  private mutating func addVariant(_ variant: ToggleDefinition.Variant, cell: UInt32) -> UInt32 {
    var record = VariantRecord(name: builder.text(variant.name))
    record.cell = cell
    record.enabled = variant.enabled
    if let payload = variant.payload {
      record.setPayload(type: payload.type, value: payload.value)
      record.payloadType = builder.text(payload.type)
      record.payload = builder.text(payload.value)
    }
    return builder.append(record)
  }

  private func fingerprint(_ toggle: ToggleDefinition) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(toggle.name)
    fingerprint.add(toggle.enabled)
    fingerprint.add(toggle.impressionData)
    fingerprint.add(toggle.variant?.name)
    fingerprint.add(toggle.variant?.enabled ?? false)
    fingerprint.add(toggle.variant?.featureEnabled.map { $0 ? 1 : 0 } ?? -1)
    fingerprint.add(toggle.variant?.payload?.type)
    fingerprint.add(toggle.variant?.payload?.value)
    return fingerprint.value
  }

  consuming func finish(context: ContextPrint?) -> Snapshot? {
    var root = SnapshotRoot(disabledName: disabledName)
    root.context = context
    root.isFrontend = true
    let offset = builder.append(root)
    return builder.finish(evaluate: evaluateToggle, root: offset)
  }
}
