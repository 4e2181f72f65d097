internal import HoistBase

/// How each is written (2.6; KAM-61 to KAM-64, KAM-B21).
extension TrackedDatum {
  /// Empty for what is withdrawn.
  var line: [UInt8] {
    var line: EventLine
    switch content {
    case .device(let device):
      line = EventLine("staticData")
      line.add("deviceType", name: device.name)
    case .browser(let browser):
      line = EventLine("staticData")
      line.add("browserIndex", integer: Int64(browser.kind.rawValue))
      if let version = browser.version, version != 0 { line.add("browserVersion", number: version) }
    case .operatingSystem(let system):
      line = EventLine("staticData")
      line.add("os", name: system.name)
      line.add("osIndex", integer: Int64(system.rawValue))
    case .geolocation(let place): line = Self.geolocation(place)
    case .visits(let number, let sincePrevious):
      line = EventLine("staticData")
      line.add("visitNumber", integer: number)
      line.add("timeSincePreviousVisit", integer: sincePrevious)
    case .customData(let data, let isMapping):
      line = EventLine("customData")
      line.add("index", integer: data.index)
      line.add("valuesCountMap", EventLine.counts(of: data.values))
      line.add("overwrite", flag: data.overwrites)
      if isMapping { line.add("mappingIdentifier", flag: true) }
    case .pageView(let view):
      line = EventLine("page")
      line.add("href", view.url)
      line.add("title", view.title ?? [])
      line.add("referrersIndices", EventLine.indices(view.referrers))
    case .assignment(let assignment):
      line = EventLine("experiment")
      line.add("id", integer: assignment.experimentID)
      line.add("variationId", integer: assignment.variationID)
    case .segment(let id):
      line = EventLine("targetingSegment")
      line.add("id", integer: id)
    case .conversion(let conversion):
      line = EventLine("conversion")
      line.add("goalId", integer: conversion.goalID)
      line.add("revenue", number: conversion.revenue.isFinite ? conversion.revenue : 0)
      line.add("negative", flag: conversion.isNegative)
      line.add("metadata", EventLine.metadata(conversion.metadata))
    case .activity: line = EventLine("activity")
    case .withdrawn: return []
    }
    return line.bytes
  }

  private static func geolocation(_ place: Geolocation) -> EventLine {
    var line = EventLine("geolocation")
    line.add("country", place.country)
    line.add("region", place.region)
    line.add("city", place.city)
    line.add("postalCode", place.postalCode)
    if let latitude = place.latitude { line.add("latitude", number: latitude) }
    if let longitude = place.longitude { line.add("longitude", number: longitude) }
    return line
  }

  /// Whether it is held back without consent: all but conversions and what delivery rules assign (4.4).
  var needsConsent: Bool {
    switch content {
    case .conversion, .withdrawn: false
    case .assignment(let assignment): assignment.rule != .targetedDelivery
    default: true
    }
  }

  /// Whether it links the visitor to another (4.5), and so is sent again with every request.
  var isMapping: Bool { if case .customData(_, isMapping: true) = content { true } else { false } }

  static let activity = TrackedDatum(kind: .activity, key: [], place: 0, content: .activity)
}
