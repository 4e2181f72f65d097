internal import HoistBase
internal import HoistJSON

extension VisitorDatum {
  /// The datum as a JSON object, with the vendor's names: `{"type":"CustomData","index":2,"values":["a"]}`.
  public var json: [UInt8] {
    var writer = JSONWriter()
    tell(&writer)
    return writer.bytes
  }

  /// Names as the service has them, by number.
  static let deviceNames: [StaticString] = ["PHONE", "TABLET", "DESKTOP"]
  static let browserNames: [StaticString] = ["CHROME", "INTERNET_EXPLORER", "FIREFOX", "SAFARI", "OPERA", "OTHER"]
  static let operatingSystemNames: [StaticString] = ["WINDOWS", "MAC", "IOS", "LINUX", "ANDROID", "WINDOWS_PHONE"]

  private func tell(_ writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .customData(let data):
      writer.member("type", "CustomData")
      tell(data, &writer)
    case .conversion(let conversion): tell(conversion, &writer)
    case .device(let device):
      writer.member("type", "Device")
      writer.member("device", Self.deviceNames, device.rawValue)
    case .geolocation(let place): tell(place, &writer)
    case .browser(let browser):
      writer.member("type", "Browser")
      writer.member("browser", Self.browserNames, browser.kind.rawValue)
      writer.member("version", browser.version)
    case .operatingSystem(let system):
      writer.member("type", "OperatingSystem")
      writer.member("os", Self.operatingSystemNames, system.rawValue)
    case .pageView(let page): tell(page, &writer)
    case .userAgent(let text):
      writer.member("type", "UserAgent")
      writer.member("value", text)
    case .cookie(let cookies):
      writer.member("type", "Cookie")
      writer.key("cookies")
      writer.object { writer in
        for cookie in cookies {
          cookie.name.withUnsafeBufferPointer { writer.key(utf8: $0) }
          writer.text(cookie.value)
        }
      }
    case .applicationVersion(let text):
      writer.member("type", "ApplicationVersion")
      writer.member("version", text)
    case .uniqueIdentifier(let value):
      writer.member("type", "UniqueIdentifier")
      writer.key("value")
      writer.bool(value)
    }
    writer.endObject()
  }

  private func tell(_ data: CustomData, _ writer: inout JSONWriter) {
    if data.isNamed {
      writer.member("name", data.name)
    } else {
      writer.key("index")
      writer.int(data.index)
    }
    writer.key("values")
    writer.array { writer in for value in data.values { writer.text(value) } }
    if !data.overwrites {
      writer.key("overwrite")
      writer.bool(false)
    }
  }

  private func tell(_ conversion: Conversion, _ writer: inout JSONWriter) {
    writer.member("type", "Conversion")
    writer.key("goalId")
    writer.int(conversion.goalID)
    writer.member("revenue", conversion.revenue)
    writer.key("negative")
    writer.bool(conversion.isNegative)
    guard !conversion.metadata.isEmpty else { return }
    writer.key("metadata")
    writer.array { writer in
      for data in conversion.metadata { writer.object { tell(data, &$0) } }
    }
  }

  private func tell(_ place: Geolocation, _ writer: inout JSONWriter) {
    writer.member("type", "Geolocation")
    writer.member("country", place.country)
    writer.member("region", place.region)
    writer.member("city", place.city)
    writer.member("postalCode", place.postalCode)
    writer.member("latitude", place.latitude)
    writer.member("longitude", place.longitude)
  }

  private func tell(_ page: PageView, _ writer: inout JSONWriter) {
    writer.member("type", "PageView")
    writer.member("url", page.url)
    writer.member("title", page.title)
    guard !page.referrers.isEmpty else { return }
    writer.key("referrers")
    writer.array { writer in for referrer in page.referrers { writer.int(referrer) } }
  }
}

/// Members of what a host is told; without those that say nothing.
extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ value: StaticString) {
    key(name)
    value.withUTF8Buffer { string(utf8: $0) }
  }

  fileprivate mutating func member(_ name: String, _ value: [UInt8]) {
    if value.isEmpty { return }
    key(name)
    text(value)
  }

  fileprivate mutating func member(_ name: String, _ value: Double?) {
    guard let value else { return }
    key(name)
    double(value)
  }

  fileprivate mutating func member(_ name: String, _ names: [StaticString], _ number: Int32) {
    let place = Int(number)
    if names.indices.contains(place) { member(name, names[place]) }
  }
}
