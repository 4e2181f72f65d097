internal import HoistBase

/// What the host adds (KAM-56, KAM-57; protocols/kameleoon.md 4.3, 4.5).
extension VisitorDraft {
  /// - Parameters:
  ///   - isTracked: whether it is ever sent (KAM-B19).
  ///   - time: when it was given.
  mutating func add(_ datum: VisitorDatum, isTracked: Bool, time: Int64) {
    let time = datum.isPage ? momentOfPage(toldAt: time) : time
    guard let definitions else {
      if rest.aside.count >= VisitorLimits.aside {
        rest.aside.removeFirst()
        change.complaints.append("too much data waits for the first configuration: the oldest is dropped")
      }
      rest.aside.append(DatumAside(datum: datum, code: code, isTracked: isTracked, time: time))
      return
    }
    take(datum, definitions, isTracked: isTracked, time: time)
  }

  /// - Parameter time: likewise; of a page, when it was seen.
  mutating func take(_ datum: VisitorDatum, _ definitions: CustomDataDefinitions, isTracked: Bool, time: Int64) {
    switch datum {
    case .customData(let data): add(data, definitions, isTracked, time)
    case .conversion(let conversion): add(conversion, definitions, isTracked, time)
    case .pageView(let view): add(view, isTracked, time)
    case .device(let device):
      track(.device, .device(device), if: isTracked, replacing: content.device != nil)
      content.device = device
      rest.times.device = time
    case .browser(let browser):
      track(.browser, .browser(browser), if: isTracked, replacing: content.browser != nil)
      content.browser = browser
      rest.times.browser = time
    case .operatingSystem(let system):
      track(.operatingSystem, .operatingSystem(system), if: isTracked, replacing: content.operatingSystem != nil)
      content.operatingSystem = system
      rest.times.operatingSystem = time
    case .geolocation(let place):
      track(.geolocation, .geolocation(place), if: isTracked, replacing: content.geolocation != nil)
      content.geolocation = place
      rest.times.geolocation = time
    case .userAgent(let text):
      rest.userAgent = text
      rest.times.userAgent = time
    case .cookie(let cookies):
      content.cookies = cookies
      rest.times.cookies = time
    case .applicationVersion(let version):
      content.applicationVersion = version
      rest.times.applicationVersion = time
    case .uniqueIdentifier(let isUnique): change.isUnique = isUnique
    }
  }

  private mutating func add(_ data: CustomData, _ definitions: CustomDataDefinitions, _ isTracked: Bool, _ time: Int64) {
    guard let index = data.isNamed ? definitions.index(named: data.name) : data.index else {
      return change.complaints.append(
        "custom data \"\(String(decoding: data.name, as: UTF8.self))\" is dropped: the configuration has none of that name")
    }
    let place = content.customData.firstIndex { $0.index == index } ?? content.customData.count
    let isNew = place == content.customData.count
    guard !isNew || place < VisitorLimits.customData else {
      return change.complaints.append("custom data \(index) is dropped: the visitor has \(place) already")
    }
    let datum = CustomDatum(index: index, values: data.values, overwrites: data.overwrites, time: time)
    if isNew { content.customData.append(datum) } else { content.customData[place] = datum }
    var sent = data
    sent.index = index
    sent.name = []
    if index == definitions.mappingIndex, let value = data.values.first, !value.isEmpty {
      link(to: value, by: index)
      return track(.customData, key: Self.key(index), place: place, .customData(sent, isMapping: true))
    }
    if rest.mappingIndex == index { rest.mappingIndex = nil }
    track(
      .customData, key: Self.key(index), place: place, .customData(sent, isMapping: false),
      if: isTracked && !definitions.isLocalOnly(index), replacing: !isNew)
  }

  /// KAM-67: the visitor with the code `value` is this one, too. Linked visitors are decided by the first one's code.
  private mutating func link(to value: [UInt8], by index: Int64) {
    if content.mappingIdentifier == nil { content.mappingIdentifier = code }
    rest.mappingIndex = index
    if value != code { change.linked.append(value) }
  }

  private mutating func add(
    _ conversion: Conversion, _ definitions: CustomDataDefinitions, _ isTracked: Bool, _ time: Int64
  ) {
    append(GoalReached(goalID: conversion.goalID, time: time))
    guard isTracked else { return }
    var sent = conversion
    sent.metadata = []
    for datum in conversion.metadata {
      guard let index = datum.isNamed ? definitions.index(named: datum.name) : datum.index,
        !sent.metadata.contains(where: { $0.index == index })
      else { continue }
      sent.metadata.append(CustomData(index: index, values: datum.values, overwrites: datum.overwrites))
    }
    track(.conversion, key: nil, place: Int(clamping: rest.conversionCount), .conversion(sent))
  }

  mutating func append(_ goal: GoalReached) {
    if content.conversions.count >= VisitorLimits.conversions {
      content.conversions.removeFirst(VisitorLimits.conversions / 10)
    }
    content.conversions.append(goal)
    rest.conversionCount &+= 1
  }

  private mutating func add(_ view: PageView, _ isTracked: Bool, _ time: Int64) {
    guard !view.url.isEmpty else { return change.complaints.append("a page view without a URL is dropped") }
    let place = seen(PageVisit(url: view.url, title: view.title, lastTime: time, count: 1)) { known in
      known.title = view.title
      known.lastTime = time
      known.count &+= 1
    }
    if isTracked { track(.pageView, key: view.url, place: place, .pageView(view)) }
  }

  /// - Returns: the page's place.
  mutating func seen(_ page: PageVisit, again: (inout PageVisit) -> Void) -> Int {
    if let place = content.pages.firstIndex(where: { $0.url == page.url }) {
      again(&content.pages[place])
      return place
    }
    if content.pages.count >= VisitorLimits.pages,
      let oldest = content.pages.indices.min(by: { content.pages[$0].lastTime < content.pages[$1].lastTime })
    {
      content.pages.remove(at: oldest)
    }
    content.pages.append(page)
    return content.pages.count - 1
  }
}
