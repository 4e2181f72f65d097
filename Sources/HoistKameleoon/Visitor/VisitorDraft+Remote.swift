/// What the service has of the visitor (protocols/kameleoon.md 2.7).
extension VisitorDraft {
  /// Known data wins; data from the service is not sent back to it, except visits and custom data that belongs to the
  /// visitor on every device.
  mutating func merge(_ remote: RemoteVisitorData, isTracked: Bool = true) {
    let remote = isStrict ? remote : remote.believed(now: now)
    mergeSingle(remote)
    for data in remote.customData where !content.customData.contains(where: { $0.index == data.index }) {
      let place = content.customData.count
      guard place < VisitorLimits.customData else { break }
      content.customData.append(CustomDatum(index: data.index, values: data.values, overwrites: data.overwrites, time: now))
      if isTracked { rest.fetched.append(data.index) }
    }
    trackFetched()
    for page in remote.pages {
      _ = seen(page) { known in
        known.count &+= page.count
        if page.lastTime > known.lastTime {
          known.lastTime = page.lastTime
          known.title = page.title
        }
      }
    }
    for (conversion, time) in remote.conversions { append(GoalReached(goalID: conversion.goalID, time: time)) }
    for assignment in remote.assignments where content.assignments[assignment.experimentID] == nil {
      content.assignments.set(assignment)
    }
    for seen in remote.personalizations where !content.personalizations.contains(where: { $0.id == seen.id }) {
      content.personalizations.append(seen)
    }
    if let scores = remote.keyMomentScores { content.keyMomentScores = scores }
    if let scores = remote.banditScores, content.banditScores.isEmpty { content.banditScores = scores }
    // What this installation has seen is a part of what the service has.
    if let visits = remote.visits, content.visits == nil || !rest.hasRemoteHistory {
      content.visits = visits
      rest.hasRemoteHistory = true
      if isTracked { trackVisits() }
    }
  }

  /// Of the service's data only custom data of the visitor's scope is sent back (KAM-66).
  mutating func trackFetched() {
    guard let definitions else { return }
    let indexes = rest.fetched
    rest.fetched = []
    for index in indexes where definitions.isVisitorScoped(index) && !definitions.isLocalOnly(index) {
      guard let place = content.customData.firstIndex(where: { $0.index == index }) else { continue }
      let datum = content.customData[place]
      let data = CustomData(index: index, values: datum.values, overwrites: datum.overwrites)
      track(.customData, key: Self.key(index), place: place, .customData(data, isMapping: false))
    }
  }

  private mutating func mergeSingle(_ remote: RemoteVisitorData) {
    if content.device == nil, let device = remote.device {
      content.device = device
      rest.times.device = now
    }
    if content.browser == nil, let browser = remote.browser {
      content.browser = browser
      rest.times.browser = now
    }
    if content.operatingSystem == nil, let system = remote.operatingSystem {
      content.operatingSystem = system
      rest.times.operatingSystem = now
    }
    if content.geolocation == nil, let place = remote.geolocation {
      content.geolocation = place
      rest.times.geolocation = now
    }
  }

  /// KAM-53, KAM-70: the first one stays for good.
  mutating func adopt(mappingIdentifier code: [UInt8]) {
    if content.mappingIdentifier == nil, !code.isEmpty { content.mappingIdentifier = code }
  }
}
