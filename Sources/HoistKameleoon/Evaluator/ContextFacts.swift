internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The visitor of a context for one call of the core, with the data from its attributes.
extension VisitorDirectory {
  /// - Parameter context: nil for the client's own visitor.
  /// - Returns: nil where that is not known yet.
  func facts(for context: FrozenContext?, _ snapshot: Snapshot) -> VisitorFacts? {
    guard let context else { return facts(of: nil) }
    if let key = context.targetingKey, hasToRead(key) { return nil }
    let known = facts(of: context.targetingKey)
    if context.attributeCount == 0, let known { return known }
    var content: VisitorFacts.Content
    if let known {
      content = known.content
    } else if let key = context.targetingKey {
      content = VisitorFacts.Content(code: Array(key), visitStart: now)
    } else {
      return nil
    }
    let base = snapshot.base
    for index in 0..<context.attributeCount { content.take(context.attribute(at: index).pointee, base, now) }
    return VisitorFacts(content)
  }
}

extension VisitorFacts.Content {
  /// The attributes by name, and what each one sets.
  private static let takers: [(name: StaticString, take: @Sendable (inout Self, ByteView) -> Void)] = [
    ("device", { $0.device = Device(anyCase: $1) }),
    ("browser", { $0.browser = BrowserKind(anyCase: $1).map { Browser(kind: $0, version: nil) } }),
    ("os", { $0.operatingSystem = OperatingSystem(anyCase: $1) }),
    ("country", { content, text in content.move { $0.country = Array(text) } }),
    ("region", { content, text in content.move { $0.region = Array(text) } }),
    ("city", { content, text in content.move { $0.city = Array(text) } }),
    ("appVersion", { $0.applicationVersion = Array($1) }),
  ]

  private mutating func move(_ change: (inout Geolocation) -> Void) {
    var place = geolocation ?? Geolocation(country: [])
    change(&place)
    geolocation = place
  }

  fileprivate mutating func take(_ attribute: FrozenAttribute, _ base: UnsafeRawPointer, _ now: Int64) {
    let name = attribute.nameBytes
    if let index = Self.index(name, attribute.nameHash, base) { return set(index, attribute.values, now) }
    guard let taker = Self.takers.first(where: { name.reads($0.name) }) else { return }
    taker.take(&self, attribute.textBytes)
  }

  /// Whether the name says anything of a visitor here.
  static func knows(_ attribute: FrozenAttribute, _ base: UnsafeRawPointer) -> Bool {
    let name = attribute.nameBytes
    return takers.contains { name.reads($0.name) } || index(name, attribute.nameHash, base) != nil
  }

  /// Of custom data: `customData.3`, or a name of the configuration.
  private static func index(_ name: ByteView, _ hash: UInt64, _ base: UnsafeRawPointer) -> Int64? {
    let prefix: StaticString = "customData."
    if prefix.withBytes({ name.hasPrefix($0) }) {
      return IntegerParser.parse(name.view(from: prefix.utf8CodeUnitCount, to: name.count), as: Int64.self).value
    }
    let root = Snapshot(base).kameleoonRoot
    let records = base.at(root.pointee.customData)
    for place in 0..<Int(root.pointee.customDataCount) {
      if records[place].nameHash == hash, records[place].name.bytes(base).hasSameBytes(as: name) { return records[place].index }
    }
    return nil
  }

  private mutating func set(_ index: Int64, _ values: [[UInt8]], _ now: Int64) {
    let datum = CustomDatum(index: index, values: values, time: now)
    if let place = customData.firstIndex(where: { $0.index == index }) {
      customData[place] = datum
    } else {
      customData.append(datum)
    }
  }
}

extension FrozenAttribute {
  /// As custom data has them: of a list each text, of all else one.
  fileprivate var values: [[UInt8]] {
    guard kind == .strings else { return [Array(textBytes)] }
    let list = try? JSONNode.parse(textBytes) { $0.array?.compactMap { $0.bytes.map { Array($0) } } ?? [] }
    return list ?? []
  }
}
