internal import HoistBase
internal import HoistJSON

/// Data as JSON objects: `{"type": "CustomData", "index": 3, "values": ["a"]}`. The form for hosts and for the store.
extension VisitorDatum {
  private static let types: [StaticString] = [
    "CustomData", "Conversion", "Device", "Geolocation", "Browser", "OperatingSystem", "PageView", "UserAgent", "Cookie",
    "ApplicationVersion", "UniqueIdentifier",
  ]

  /// A place in `types`; the numbers of `hoist/kameleoon/data.h`.
  public var kind: Int32 {
    switch self {
    case .customData: 0
    case .conversion: 1
    case .device: 2
    case .geolocation: 3
    case .browser: 4
    case .operatingSystem: 5
    case .pageView: 6
    case .userAgent: 7
    case .cookie: 8
    case .applicationVersion: 9
    case .uniqueIdentifier: 10
    }
  }

  /// Compact; members that say nothing are left out.
  public var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// - Parameter json: an object; unknown members are passed over.
  /// - Returns: nil for what is no datum.
  public init?(json: [UInt8]) {
    let read: VisitorDatum?? = try? json.withUnsafeBytes { bytes throws(JSONFailure) in
      try JSONNode.parse(bytes) { $0.isWholeDatum ? VisitorDatum($0) : nil }
    }
    guard let datum = read ?? nil else { return nil }
    self = datum
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("type", Self.types[Int(kind)])
      switch self {
      case .customData(let data): data.writeMembers(to: &writer)
      case .conversion(let conversion): conversion.writeMembers(to: &writer)
      case .device(let device): writer.member("device", device.name)
      case .geolocation(let place): place.writeMembers(to: &writer)
      case .browser(let browser):
        writer.member("browser", browser.kind.name)
        writer.member("version", browser.version)
      case .operatingSystem(let system): writer.member("os", system.name)
      case .pageView(let view):
        writer.member("url", view.url)
        if let title = view.title {
          writer.key("title")
          writer.text(title)
        }
        guard !view.referrers.isEmpty else { break }
        writer.array("referrers") { writer in for index in view.referrers { writer.int(index) } }
      case .userAgent(let text): writer.member("value", text)
      case .cookie(let cookies):
        writer.object("cookies") { writer in
          for cookie in cookies {
            cookie.name.withUnsafeBufferPointer { writer.key(utf8: $0) }
            writer.text(cookie.value)
          }
        }
      case .applicationVersion(let version): writer.member("version", version)
      case .uniqueIdentifier(let isUnique):
        writer.member("value", isUnique)
      }
    }
  }

  init?(_ node: JSONNode) {
    guard let type = node["type"]?.utf8, let kind = Self.types.firstIndex(reading: ByteView(type)) else { return nil }
    switch kind {
    case 0:
      guard let data = CustomData(node) else { return nil }
      self = .customData(data)
    case 1:
      guard let conversion = Conversion(node) else { return nil }
      self = .conversion(conversion)
    case 2:
      guard let device = Device(name: node.text("device")) else { return nil }
      self = .device(device)
    case 3:
      self = .geolocation(
        Geolocation(
          country: node.text("country"), region: node.text("region"), city: node.text("city"),
          postalCode: node.text("postalCode"), latitude: node["latitude"]?.double, longitude: node["longitude"]?.double))
    case 4:
      guard let kind = BrowserKind(name: node.text("browser")) else { return nil }
      self = .browser(Browser(kind: kind, version: node["version"]?.double))
    case 5:
      guard let system = OperatingSystem(name: node.text("os")) else { return nil }
      self = .operatingSystem(system)
    case 6:
      self = .pageView(
        PageView(
          url: node.text("url"), title: node["title"]?.utf8.map { Array($0) },
          referrers: node["referrers"]?.array?.compactMap(\.int64) ?? []))
    case 7: self = .userAgent(node.text("value"))
    case 8:
      self = .cookie(
        node["cookies"]?.members.compactMap { member in
          member.utf8.map { Cookie(name: Array(member.name), value: Array($0)) }
        } ?? [])
    case 9: self = .applicationVersion(node.text("version"))
    default: self = .uniqueIdentifier(node["value"]?.bool ?? false)
    }
  }
}

extension CustomData {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    if isNamed {
      writer.key("name")
      writer.text(name)
    } else {
      writer.member("index", index)
    }
    writer.array("values") { writer in for value in values { writer.text(value) } }
    guard !overwrites else { return }
    writer.member("overwrite", false)
  }

  fileprivate init?(_ node: JSONNode) {
    let values = node["values"]?.array?.compactMap { $0.utf8.map { Array($0) } } ?? []
    let overwrites = node["overwrite"]?.bool ?? true
    if let name = node["name"]?.utf8 {
      self.init(name: Array(name), values: values, overwrites: overwrites)
    } else if let index = node["index"]?.int64, index >= 0 {
      self.init(index: index, values: values, overwrites: overwrites)
    } else {
      return nil
    }
  }
}

extension Conversion {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("goalId", goalID)
    writer.member("revenue", revenue)
    writer.member("negative", isNegative)
    guard !metadata.isEmpty else { return }
    writer.array("metadata") { writer in for data in metadata { VisitorDatum.customData(data).write(to: &writer) } }
  }

  fileprivate init?(_ node: JSONNode) {
    guard let goal = node["goalId"]?.int64 else { return nil }
    self.init(
      goalID: goal, revenue: node["revenue"]?.double ?? 0, isNegative: node["negative"]?.bool ?? false,
      metadata: node["metadata"]?.array?.compactMap { CustomData($0) } ?? [])
  }
}

extension Geolocation {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.key("country")
    writer.text(country)
    writer.member("region", region)
    writer.member("city", city)
    writer.member("postalCode", postalCode)
    writer.member("latitude", latitude)
    writer.member("longitude", longitude)
  }
}

/// What a host may write, with the limits that the functions of `hoist/kameleoon/data.h` have. What is stored is read without
/// them.
extension JSONNode {
  fileprivate var isWholeDatum: Bool {
    guard self["type"]?.bytes?.reads("Geolocation") != true || self["country"]?.utf8 != nil else { return false }
    return isWholeCustomData && isList("referrers", of: DatumLimits.texts) { $0.int64 != nil }
      && isList("metadata", of: DatumLimits.metadata) { CustomData($0) != nil && $0.isWholeCustomData } && hasWholeCookies
  }

  private var isWholeCustomData: Bool { isList("values", of: DatumLimits.texts) { $0.utf8 != nil } }

  private var hasWholeCookies: Bool {
    guard let cookies = self["cookies"]?.unlessNull else { return true }
    return cookies.object != nil && cookies.members.count <= DatumLimits.texts && cookies.members.allSatisfy { $0.utf8 != nil }
  }

  /// Whether a member is missing, or an array of so many elements of that kind.
  private func isList(_ name: StaticString, of limit: Int, _ isElement: (JSONNode) -> Bool) -> Bool {
    guard let list = self[name]?.unlessNull else { return true }
    return list.array.map { $0.count <= limit && $0.allSatisfy(isElement) } ?? false
  }
}

extension JSONNode {
  /// A text; empty where there is none.
  func text(_ name: StaticString) -> [UInt8] { self[name]?.utf8.map { Array($0) } ?? [] }
}

extension JSONWriter {
  mutating func text(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { string(utf8: $0) } }

  /// Left out where there is none.
  mutating func member(_ name: String, _ text: [UInt8]) {
    if text.isEmpty { return }
    key(name)
    self.text(text)
  }

  mutating func member(_ name: String, _ text: StaticString) {
    key(name)
    text.withUTF8Buffer { string(utf8: $0) }
  }

  /// Left out where there is none.
  mutating func member(_ name: String, _ value: Double?) {
    guard let value else { return }
    key(name)
    double(value)
  }
}
