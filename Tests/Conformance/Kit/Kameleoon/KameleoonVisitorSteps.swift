import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon

extension KameleoonCase {
  /// What is told of visitors.
  static let visitorOperations: [String: Operation] = [
    "clock": { play, step in
      let now = play.scheduler.unixMilliseconds
      play.scheduler.leapWallClock(byMilliseconds: (step["nowMs"]?.int64 ?? now) - now)
      return StepOutcome()
    },
    "addData": { play, step in
      play.withVisitor(step) { visitor in
        let data = step["data"]?.array.map { Array($0) } ?? []
        let status = visitor.add(data.compactMap { VisitorDatum(vector: $0) }, isTracked: step["track"]?.bool ?? true)
        return StepOutcome(error: status)
      }
    },
    "setLegalConsent": { play, step in
      play.withVisitor(step) { StepOutcome(error: $0.setLegalConsent(step["consent"]?.bool ?? false)) }
    },
    "setForcedVariation": { play, step in
      play.withVisitor(step) { visitor in
        let key = step["variationKey"]?.string.map { Array($0.utf8) }
        return StepOutcome(
          error: visitor.force(
            step["experimentId"]?.int64 ?? 0, variation: key, forcesTargeting: step["forceTargeting"]?.bool ?? true))
      }
    },
  ]
}

extension VisitorDatum {
  /// nil for what is no datum.
  init?(vector: JSONValue) {
    func text(_ name: StaticString) -> [UInt8] { Array((vector[name]?.string ?? "").utf8) }
    switch vector["type"]?.string {
    case "CustomData": self = .customData(CustomData(vector: vector))
    case "Conversion":
      self = .conversion(
        Conversion(
          goalID: vector["goalId"]?.int64 ?? 0, revenue: vector["revenue"]?.double ?? 0,
          isNegative: vector["negative"]?.bool ?? false,
          metadata: vector["metadata"]?.array?.map { CustomData(vector: $0) } ?? []))
    case "Device":
      guard let place = ["PHONE", "TABLET", "DESKTOP"].firstIndex(of: vector["device"]?.string ?? "") else { return nil }
      self = .device(Device.allCases[place])
    case "Geolocation":
      self = .geolocation(
        Geolocation(
          country: text("country"), region: text("region"), city: text("city"), postalCode: text("postalCode"),
          latitude: vector["latitude"]?.double, longitude: vector["longitude"]?.double))
    case "Browser":
      let names = ["CHROME", "INTERNET_EXPLORER", "FIREFOX", "SAFARI", "OPERA", "OTHER"]
      guard let place = names.firstIndex(of: vector["browser"]?.string ?? "") else { return nil }
      self = .browser(Browser(kind: BrowserKind.allCases[place], version: vector["version"]?.double))
    case "OperatingSystem":
      let names = ["WINDOWS", "MAC", "IOS", "LINUX", "ANDROID", "WINDOWS_PHONE"]
      guard let place = names.firstIndex(of: vector["os"]?.string ?? "") else { return nil }
      self = .operatingSystem(OperatingSystem.allCases[place])
    case "PageView":
      self = .pageView(
        PageView(
          url: text("url"), title: text("title"), referrers: vector["referrers"]?.array?.compactMap(\.int64) ?? []))
    case "UserAgent": self = .userAgent(text("value"))
    case "Cookie":
      self = .cookie(
        members(vector["cookies"]).map { Cookie(name: Array($0.key.utf8), value: Array(($0.value.string ?? "").utf8)) })
    case "ApplicationVersion": self = .applicationVersion(text("version"))
    case "UniqueIdentifier": self = .uniqueIdentifier(vector["value"]?.bool ?? false)
    default: return nil
    }
  }
}

extension CustomData {
  init(vector: JSONValue) {
    let values = vector["values"]?.array?.map { Array(($0.string ?? "").utf8) } ?? []
    let overwrites = vector["overwrite"]?.bool ?? true
    if let name = vector["name"]?.string {
      self.init(name: Array(name.utf8), values: values, overwrites: overwrites)
    } else {
      self.init(index: vector["index"]?.int64 ?? 0, values: values, overwrites: overwrites)
    }
  }
}
