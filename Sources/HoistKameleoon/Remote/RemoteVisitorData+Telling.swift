/// What a host is told of a visitor's visits.
extension RemoteVisitorData {
  /// Visits, experiments, scores and personalizations are not among it (KAM-46; protocols/kameleoon.md 2.7).
  var data: [VisitorDatum] {
    var data = customData.map { VisitorDatum.customData($0) }
    for page in pages { data.append(.pageView(PageView(url: page.url, title: page.title))) }
    if let device { data.append(.device(device)) }
    if let browser { data.append(.browser(browser)) }
    if let operatingSystem { data.append(.operatingSystem(operatingSystem)) }
    if let geolocation { data.append(.geolocation(geolocation)) }
    for (conversion, _) in conversions { data.append(.conversion(conversion)) }
    return data
  }
}
