/// What an earlier run has left (protocols/kameleoon.md 4.6).
extension VisitorDraft {
  /// - Parameters:
  ///   - kept: as it was. What the host has set meanwhile is newer, but the first mapping identifier stays for good
  ///     (KAM-70).
  mutating func restore(_ kept: VisitorFacts.Content, _ keptRest: VisitorRest) {
    layOver(kept, keptRest)
    if definitions != nil { addAside() }
    // The former visit goes on, or a new one begins.
    noteEvent()
  }

  /// Lays the current data over the stored data.
  mutating func layOver(_ kept: VisitorFacts.Content, _ keptRest: VisitorRest) {
    let (new, newRest) = (content, rest)
    content = kept
    content.code = new.code
    rest = keptRest
    if kept.mappingIdentifier == nil { content.mappingIdentifier = new.mappingIdentifier }
    if new.consent != .unknown { content.consent = new.consent }
    (content.forced, content.simulated) = (new.forced, new.simulated)
    (content.keyMomentScores, content.banditScores) = (new.keyMomentScores, new.banditScores)
    restoreSingle(new, newRest)
    for datum in new.customData {
      if let place = content.customData.firstIndex(where: { $0.index == datum.index }) {
        content.customData[place] = datum
      } else {
        content.customData.append(datum)
      }
    }
    for page in new.pages {
      _ = seen(page) { known in
        known.count &+= page.count
        known.title = page.title
        known.lastTime = page.lastTime
      }
    }
    content.conversions += new.conversions
    rest.conversionCount &+= newRest.conversionCount
    for seen in new.personalizations where !content.personalizations.contains(where: { $0.id == seen.id }) {
      content.personalizations.append(seen)
    }
    for assignment in new.assignments.entries { content.assignments.set(assignment) }
    for segment in newRest.segments where !rest.segments.contains(segment) { rest.segments.append(segment) }
    rest.aside += newRest.aside
    for index in newRest.fetched where !rest.fetched.contains(index) { rest.fetched.append(index) }
    rest.mappingIndex = newRest.mappingIndex ?? rest.mappingIndex
  }

  private mutating func restoreSingle(_ new: VisitorFacts.Content, _ newRest: VisitorRest) {
    if new.device != nil { (content.device, rest.times.device) = (new.device, newRest.times.device) }
    if new.browser != nil { (content.browser, rest.times.browser) = (new.browser, newRest.times.browser) }
    if new.operatingSystem != nil {
      (content.operatingSystem, rest.times.operatingSystem) = (new.operatingSystem, newRest.times.operatingSystem)
    }
    if new.geolocation != nil {
      (content.geolocation, rest.times.geolocation) = (new.geolocation, newRest.times.geolocation)
    }
    if new.applicationVersion != nil {
      (content.applicationVersion, rest.times.applicationVersion) =
        (new.applicationVersion, newRest.times.applicationVersion)
    }
    if !new.cookies.isEmpty { (content.cookies, rest.times.cookies) = (new.cookies, newRest.times.cookies) }
    if !newRest.userAgent.isEmpty { (rest.userAgent, rest.times.userAgent) = (newRest.userAgent, newRest.times.userAgent) }
  }

  /// KAM-03: each datum is judged by its own age. Consent, mapping identifier and the current visit stay.
  /// - Parameter time: milliseconds of Unix time; what is older goes.
  mutating func expire(before time: Int64) {
    content.customData.removeAll { $0.time < time && $0.index != rest.mappingIndex }
    if rest.times.device < time { content.device = nil }
    if rest.times.browser < time { content.browser = nil }
    if rest.times.operatingSystem < time { content.operatingSystem = nil }
    if rest.times.geolocation < time { content.geolocation = nil }
    if rest.times.applicationVersion < time { content.applicationVersion = nil }
    if rest.times.cookies < time { content.cookies = [] }
    if rest.times.userAgent < time { rest.userAgent = [] }
    content.pages.removeAll { $0.lastTime < time }
    content.conversions.removeAll { $0.time < time }
    content.personalizations.removeAll { $0.time < time }
    content.assignments.removeAll { $0.time < time }
    rest.aside.removeAll { $0.time < time }
    content.visits?.previous.removeAll { $0.lastEvent < time }
    if content.visits?.previous.isEmpty ?? false { content.visits = nil }
  }
}
