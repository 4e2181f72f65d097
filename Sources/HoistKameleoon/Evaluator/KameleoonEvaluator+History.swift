internal import CShims
internal import Glibc
internal import HoistBase
internal import HoistCore

/// Conditions on what a visitor is and has done (protocols/kameleoon.md 3.12).
extension KameleoonEvaluator {
  @inline(never)
  mutating func holdsForHistory(_ condition: UnsafePointer<ConditionRecord>, _ current: UnsafePointer<RuleRecord>?) -> Bool {
    guard budget.spend(historySteps(condition.pointee.kind)) else { return false }
    switch condition.pointee.kind {
    case .browser: return holdsForBrowser(condition)
    case .geolocation: return holdsForGeolocation(condition)
    case .applicationVersion:
      guard let version = facts.content.applicationVersion?.withBytes({ DottedVersion($0) }) else { return false }
      let wanted = base.at(condition.pointee.version)
      return condition.pointee.match.holds(version.order(against: wanted.pointee))
    case .pageURL, .pageTitle, .previousPage: return holdsForPage(condition)
    case .pageViews: return holds(condition, facts.content.pages.reduce(0) { $0 &+ $1.count })
    case .cookie:
      for cookie in facts.content.cookies {
        let isNamed = cookie.name.withBytes { holds(condition.pointee.name, $0) }
        if isNamed, cookie.value.withBytes({ holds(condition.pointee.value, $0) }) { return true }
      }
      return false
    case .conversions:
      let (goal, threshold) = (condition.pointee.integer, threshold(condition))
      return facts.content.conversions.contains { (goal == -1 || $0.goalID == goal) && $0.time >= threshold }
    case .targetExperiment:
      guard let assignment = assignment(condition.pointee.integer), assignment.time >= threshold(condition) else { return false }
      return condition.pointee.match == .any || assignment.variationID == condition.pointee.other
    case .targetFeatureFlag: return holdsForFeature(condition)
    case .targetPersonalization:
      let (id, threshold) = (condition.pointee.integer, threshold(condition))
      return facts.content.personalizations.contains { $0.id == id && $0.time >= threshold }
    case .exclusiveExperiment: return isExclusive(condition, current)
    case .visits: return holds(condition, Int64(facts.content.visits?.previous.count ?? 0) &+ 1)
    case .sameDayVisits: return holds(condition, visitsOfToday)
    case .newVisitors: return (facts.content.visits?.previous.isEmpty ?? true) == (condition.pointee.integer == 0)
    case .firstVisit, .lastVisit:
      let visits = facts.content.visits?.previous ?? []
      guard let visit = condition.pointee.kind == .firstVisit ? visits.last : visits.first else { return false }
      return holds(condition, now &- visit.start)
    case .heatSlice:
      return facts.content.keyMomentScores.contains { score in
        score.keyMomentID == condition.pointee.other && score.goalID == condition.pointee.integer
          && score.score >= condition.pointee.number && score.score <= condition.pointee.upperNumber
      }
    default: return false
    }
  }

  /// What the visitor's own history adds to the cost of a condition.
  private func historySteps(_ kind: ConditionKind) -> Int {
    let content = facts.content
    return switch kind {
    case .pageURL, .pageTitle, .previousPage, .pageViews: content.pages.count
    case .conversions: content.conversions.count / 4
    case .exclusiveExperiment: (content.assignments.entries.count &+ content.personalizations.count) / 4
    case .targetPersonalization: content.personalizations.count / 4
    case .heatSlice: content.keyMomentScores.count
    // The time zone is asked for.
    case .sameDayVisits: 100
    case .applicationVersion: 10 &+ (content.applicationVersion?.count ?? 0)
    default: 0
    }
  }

  private func holds(_ condition: UnsafePointer<ConditionRecord>, _ count: Int64) -> Bool {
    condition.pointee.match.holds(Ordering(of: count, against: condition.pointee.integer))
  }

  private func holdsForBrowser(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    guard let browser = facts.content.browser, Int64(browser.kind.rawValue) == condition.pointee.integer else { return false }
    guard condition.pointee.hasNumber else { return true }
    let version = browser.version.flatMap { $0 == 0 ? nil : $0 } ?? -1
    return condition.pointee.match.holds(Ordering(of: version, against: condition.pointee.number))
  }

  private mutating func holdsForGeolocation(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    guard let place = facts.content.geolocation,
      budget.spend(2, parsing: place.country.count &+ place.region.count &+ place.city.count)
    else { return false }
    func isSame(_ wanted: TextReference, _ text: [UInt8]) -> Bool {
      wanted.isNone || text.withBytes { FullLowercase.withLowercased($0) { $0.hasSameBytes(as: wanted.bytes(base)) } }
    }
    return isSame(condition.pointee.value.text, place.country) && isSame(condition.pointee.name.text, place.region)
      && isSame(condition.pointee.city, place.city)
  }

  /// Pages by time; of two of the same millisecond the one first added counts as the later.
  private mutating func holdsForPage(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    let pages = facts.content.pages
    func latest(except skipped: Int?) -> Int? {
      var found: Int?
      for index in pages.indices where index != skipped {
        if let known = found, pages[known].lastTime >= pages[index].lastTime { continue }
        found = index
      }
      return found
    }
    var place = latest(except: nil)
    if condition.pointee.kind == .previousPage { place = place.flatMap { latest(except: $0) } }
    guard let page = place.map({ pages[$0] }) else { return false }
    if condition.pointee.kind != .pageTitle { return page.url.withBytes { holds(condition.pointee.value, $0) } }
    return page.title?.withBytes { holds(condition.pointee.value, $0) } ?? false
  }

  private mutating func holdsForFeature(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    let targets = base.at(condition.pointee.targets)
    let threshold = threshold(condition)
    for index in 0..<Int(condition.pointee.listCount) {
      let target = targets[index]
      guard budget.spend(2 &+ Int(target.variationCount)) else { return false }
      guard let assignment = assignment(target.experimentID), assignment.time >= threshold else { continue }
      if target.anyVariation { return true }
      let variations = base.at(target.variations)
      for place in 0..<Int(target.variationCount) where variations[place] == assignment.variationID { return true }
    }
    return false
  }

  private func isExclusive(_ condition: UnsafePointer<ConditionRecord>, _ current: UnsafePointer<RuleRecord>?) -> Bool {
    guard let own = current?.pointee.experimentID else { return false }
    let threshold = threshold(condition)
    let campaign = condition.pointee.integer
    let hasExperiment =
      campaign != 1
      && (!heldRow.isNone && root.pointee.holdoutID(base) != own && now >= threshold
        || facts.content.assignments.entries.contains { $0.experimentID != own && $0.time >= threshold })
    let hasPersonalization = campaign != 0 && facts.content.personalizations.contains { $0.time >= threshold }
    return !hasExperiment && !hasPersonalization
  }

  private func assignment(_ experimentID: Int64) -> (variationID: Int64, time: Int64)? {
    if !heldRow.isNone, root.pointee.holdoutID(base) == experimentID {
      let row = base.at(heldRow)
      return (row.pointee.variationID, now)
    }
    return facts.content.assignments[experimentID].map { ($0.variationID, $0.time) }
  }

  /// From when on what a visitor did counts.
  private func threshold(_ condition: UnsafePointer<ConditionRecord>) -> Int64 {
    guard let visits = facts.content.visits else { return 0 }
    let window = condition.pointee.window
    if window.isCurrentVisit || window.count < 2 || visits.previous.isEmpty { return facts.content.visitStart }
    return visits.previous[Int(min(window.count &- 2, Int64(visits.previous.count &- 1)))].start
  }

  private var visitsOfToday: Int64 {
    let midnight = Self.midnight(before: now)
    let earlier = facts.content.visits?.previous.prefix { $0.start >= midnight }.count ?? 0
    return Int64(earlier) &+ (facts.content.visitStart >= midnight ? 1 : 0)
  }

  /// In the time zone of the machine.
  private static func midnight(before now: Int64) -> Int64 {
    // The system takes a lock for it that a child forked meanwhile would wait for.
    shim_gate_enter()
    defer { shim_gate_leave() }
    var seconds = time_t(now / 1000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return now &- now % 86_400_000 }
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
    return Int64(mktime(&parts)) &* 1000
  }
}

extension KameleoonRoot {
  fileprivate func holdoutID(_ base: UnsafeRawPointer) -> Int64 {
    let rule = base.at(holdout)
    return rule.pointee.experimentID
  }
}
