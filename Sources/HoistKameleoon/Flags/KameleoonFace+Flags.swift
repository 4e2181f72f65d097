internal import CShims
public import HoistBase
public import HoistCore
internal import HoistJSON

/// What the configuration says of flags, independent of a visitor.
extension KameleoonFace {
  /// KAM-32: keys of all flags, in the order of the configuration; nil when not ready.
  public var featureKeys: [CText]? {
    withConfiguration { snapshot in
      snapshot.kameleoonFlags.map { place in
        let flag = snapshot.base.at(place)
        return CText(flag.pointee.head.name.bytes(snapshot.base))
      }
    }
  }

  /// KAM-36: the variables of a variation by its key, as a JSON object.
  /// - Returns: `.kameleoonSDKNotReady`, `.kameleoonFeatureNotFound`, `.kameleoonFeatureEnvironmentDisabled`,
  ///   `.kameleoonFeatureVariationNotFound`.
  public func variables(of key: ByteView, variation: ByteView) -> (json: CText?, status: Status) {
    withConfiguration { snapshot -> (CText?, Status) in
      let base = snapshot.base
      guard let flag = snapshot.find(key)?.assumingMemoryBound(to: KameleoonFlagRecord.self) else {
        return (nil, .kameleoonFeatureNotFound)
      }
      guard flag.pointee.isEnabled else { return (nil, .kameleoonFeatureEnvironmentDisabled) }
      let variations = base.at(flag.pointee.variations)
      for index in 0..<Int(flag.pointee.variationCount) where variations[index].key.bytes(base).hasSameBytes(as: variation) {
        return (CText(variations[index].json.bytes(base)), .ok)
      }
      return (nil, .kameleoonFeatureVariationNotFound)
    } ?? (nil, .kameleoonSDKNotReady)
  }

  /// KAM-B13: `getDataFile`, as a JSON object; nil when not ready.
  public var dataFile: [UInt8]? { withConfiguration { DataFileText.json($0) } }

  private func withConfiguration<Result>(_ body: (Snapshot) -> Result) -> Result? {
    guard let snapshot = client.pinnedConfiguration else { return nil }
    defer { snapshot.unpin() }
    return body(snapshot)
  }
}

/// The data file as the vendor's SDK hands it out (KAM-B13): flags by key with `environmentEnabled`, `defaultVariationKey`,
/// `defaultVariation`, `variations` by key and `rules`, and the configuration's `dateModified`.
enum DataFileText {
  static func json(_ snapshot: Snapshot) -> [UInt8] {
    let base = snapshot.base
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.object { writer in
      writer.member("dateModified", snapshot.kameleoonRoot.pointee.dateModified)
      writer.object("featureFlags") { writer in
        for place in snapshot.kameleoonFlags {
          let flag = base.at(place)
          writer.key(flag.pointee.head.name.bytes(base))
          write(flag, base, to: &writer)
        }
      }
    }
    return writer.bytes
  }

  private static func write(_ flag: UnsafePointer<KameleoonFlagRecord>, _ base: UnsafeRawPointer, to writer: inout JSONWriter) {
    let defaultRow = base.at(flag.pointee.defaultRow)
    writer.object { writer in
      writer.member("environmentEnabled", flag.pointee.isEnabled)
      writer.member("defaultVariationKey", defaultRow.pointee.key.bytes(base))
      writer.key("defaultVariation")
      if defaultRow.pointee.variation.isNone {
        writer.null()
      } else {
        KameleoonVariation(flag.pointee.defaultRow, in: base).write(to: &writer)
      }
      writer.object("variations") { writer in
        let variations = base.at(flag.pointee.variations)
        for index in 0..<Int(flag.pointee.variationCount) {
          writer.key(variations[index].key.bytes(base))
          writer.variation(VariationFields(flag.pointee.variations.at(index), base), id: -1, experimentID: -1)
        }
      }
      writer.array("rules") { writer in
        let rules = base.at(flag.pointee.rules)
        for index in 0..<Int(flag.pointee.ruleCount) { write(rules[index], base, to: &writer) }
      }
    }
  }

  private static func write(_ rule: RuleRecord, _ base: UnsafeRawPointer, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.object("variations") { writer in
        let rows = base.at(rule.rows)
        for index in 0..<Int(rule.rowCount) {
          writer.key(rows[index].key.bytes(base))
          KameleoonVariation(rows[index].place, in: base).write(to: &writer)
        }
      }
    }
  }
}

/// What a variation is called, and its variables; nothing for no place.
struct VariationFields {
  let record: UnsafePointer<VariationRecord>?
  let base: UnsafeRawPointer

  init(_ place: Place<VariationRecord>, _ base: UnsafeRawPointer) {
    record = place.isNone ? nil : base.at(place)
    self.base = base
  }
}

extension KameleoonVariation {
  /// A JSON object: key, name, id, experimentId, and variables with type and value by key.
  public var text: [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout JSONWriter) {
    writer.variation(
      VariationFields(row.pointee.variation, address - Int(row.pointee.place.offset)), id: id, experimentID: experimentID)
  }
}

extension JSONWriter {
  fileprivate mutating func variation(_ fields: VariationFields, id: Int64, experimentID: Int64) {
    let base = fields.base
    object { writer in
      writer.member("key", fields.record?.pointee.key.bytes(base) ?? .noBytes)
      writer.member("name", fields.record?.pointee.name.bytes(base) ?? .noBytes)
      writer.member("id", id)
      writer.member("experimentId", experimentID)
      writer.object("variables") { writer in
        guard let record = fields.record else { return }
        let variables = base.at(record.pointee.variables)
        for index in 0..<Int(record.pointee.variableCount) {
          let variable = KameleoonVariable(record: variables + index)
          writer.key(variable.key)
          writer.object { writer in
            writer.member("type", variable.type)
            writer.member("value", raw: variable.json)
          }
        }
      }
    }
  }
}

extension Client {
  /// What is served, for the caller to unpin; nil when nothing is, and after close.
  var pinnedConfiguration: Snapshot? {
    if shim_load_u32(&hot.pointee.gate) & Gate.closed != 0 { return nil }
    let section = shim_enter()
    defer { shim_leave(section) }
    let snapshot = shim_load_pointer(&hot.pointee.snapshot).map { Snapshot(UnsafeRawPointer($0)) }
    snapshot?.pin()
    return snapshot
  }
}

extension Snapshot {
  /// In the order of the configuration.
  var kameleoonFlags: UnsafeBufferPointer<Place<KameleoonFlagRecord>> {
    let root = kameleoonRoot
    return UnsafeBufferPointer(start: base.at(root.pointee.flags), count: Int(root.pointee.flagCount))
  }
}
