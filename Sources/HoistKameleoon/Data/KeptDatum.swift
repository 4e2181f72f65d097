internal import HoistJSON

/// A datum as it is kept in the store: an array that begins with its kind.
extension VisitorDatum {
  private enum Kind: Int64 {
    case customData = 0, conversion, device, geolocation, browser, operatingSystem, pageView, userAgent, cookie
    case applicationVersion, uniqueIdentifier
  }

  func write(to writer: inout JSONWriter) {
    writer.array { writer in
      func kind(_ kind: Kind, _ writer: inout JSONWriter) { writer.int(kind.rawValue) }
      switch self {
      case .customData(let data):
        kind(.customData, &writer)
        data.write(to: &writer)
      case .conversion(let conversion):
        kind(.conversion, &writer)
        writer.int(conversion.goalID)
        writer.double(conversion.revenue)
        writer.bool(conversion.isNegative)
        writer.array { writer in for data in conversion.metadata { data.write(to: &writer) } }
      case .device(let device):
        kind(.device, &writer)
        writer.int(Int64(device.rawValue))
      case .geolocation(let place):
        kind(.geolocation, &writer)
        for text in [place.country, place.region, place.city, place.postalCode] { writer.text(text) }
        writer.number(place.latitude)
        writer.number(place.longitude)
      case .browser(let browser):
        kind(.browser, &writer)
        writer.int(Int64(browser.kind.rawValue))
        writer.number(browser.version)
      case .operatingSystem(let system):
        kind(.operatingSystem, &writer)
        writer.int(Int64(system.rawValue))
      case .pageView(let view):
        kind(.pageView, &writer)
        writer.text(view.url)
        writer.text(view.title)
        writer.array { writer in for index in view.referrers { writer.int(index) } }
      case .userAgent(let text):
        kind(.userAgent, &writer)
        writer.text(text)
      case .cookie(let cookies):
        kind(.cookie, &writer)
        writer.array { writer in
          for cookie in cookies {
            writer.text(cookie.name)
            writer.text(cookie.value)
          }
        }
      case .applicationVersion(let version):
        kind(.applicationVersion, &writer)
        writer.text(version)
      case .uniqueIdentifier(let isUnique):
        kind(.uniqueIdentifier, &writer)
        writer.bool(isUnique)
      }
    }
  }

  /// nil for what is none.
  init?(_ node: JSONNode?) {
    var parts = KeptParts(node)
    guard let kind = Kind(rawValue: parts.integer(else: -1)) else { return nil }
    switch kind {
    case .customData:
      guard let data = CustomData(parts.next()) else { return nil }
      self = .customData(data)
    case .conversion:
      var conversion = Conversion(goalID: parts.integer(), revenue: parts.number() ?? 0, isNegative: parts.bool())
      conversion.metadata = parts.next()?.array?.compactMap { CustomData($0) } ?? []
      self = .conversion(conversion)
    case .device:
      guard let device = Device(rawValue: parts.small()) else { return nil }
      self = .device(device)
    case .geolocation:
      var place = Geolocation(country: parts.text(), region: parts.text(), city: parts.text(), postalCode: parts.text())
      place.latitude = parts.number()
      place.longitude = parts.number()
      self = .geolocation(place)
    case .browser:
      guard let kind = BrowserKind(rawValue: parts.small()) else { return nil }
      self = .browser(Browser(kind: kind, version: parts.number()))
    case .operatingSystem:
      guard let system = OperatingSystem(rawValue: parts.small()) else { return nil }
      self = .operatingSystem(system)
    case .pageView:
      var view = PageView(url: parts.text(), title: parts.text())
      view.referrers = parts.next()?.array?.compactMap(\.int64) ?? []
      self = .pageView(view)
    case .userAgent: self = .userAgent(parts.text())
    case .cookie:
      var texts = KeptParts(parts.next())
      var cookies: [Cookie] = []
      while let name = texts.next()?.utf8 { cookies.append(Cookie(name: Array(name), value: texts.text())) }
      self = .cookie(cookies)
    case .applicationVersion: self = .applicationVersion(parts.text())
    case .uniqueIdentifier: self = .uniqueIdentifier(parts.bool())
    }
  }
}

extension CustomData {
  /// Index or name, then whether it overwrites, then the values.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.array { writer in
      if isNamed { writer.text(name) } else { writer.int(index) }
      writer.bool(overwrites)
      for value in values { writer.text(value) }
    }
  }

  fileprivate init?(_ node: JSONNode?) {
    var parts = KeptParts(node)
    guard let head = parts.next() else { return nil }
    let overwrites = parts.bool()
    var values: [[UInt8]] = []
    while let value = parts.next()?.utf8 { values.append(Array(value)) }
    if let name = head.utf8 {
      self.init(name: Array(name), values: values, overwrites: overwrites)
    } else if let index = head.int64, index >= 0 {
      self.init(index: index, values: values, overwrites: overwrites)
    } else {
      return nil
    }
  }
}

extension JSONWriter {
  mutating func text(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { string(utf8: $0) } }
  mutating func number(_ value: Double?) { value.map { double($0) } ?? null() }
}

/// The elements of an array, one after the other; what is missing or of another kind is nothing.
struct KeptParts {
  private var iterator: JSONNodes.Iterator?

  init(_ node: JSONNode?) { iterator = node?.array?.makeIterator() }

  mutating func next() -> JSONNode? { iterator?.next() }
  mutating func integer(else other: Int64 = 0) -> Int64 { next()?.int64 ?? other }
  mutating func small() -> Int32 { Int32(clamping: integer(else: -1)) }
  mutating func number() -> Double? { next()?.double }
  mutating func bool() -> Bool { next()?.bool ?? false }
  mutating func text() -> [UInt8] { next()?.utf8.map { Array($0) } ?? [] }
}
