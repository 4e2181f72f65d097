import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

/// The data platform's part of a client.
final class PlatformRig {
  let host: TestHost
  let visitorID: VisitorID
  let platform: DataPlatform

  init(
    _ properties: [String: String] = [:], manager: (any PlatformManager)? = nil, cache: (any CacheManager)? = nil,
    seed: UInt64 = 7, headers: (any HeaderProvider)? = nil
  ) throws {
    host = TestHost(manager: cache, seed: seed)
    host.plugins.headerProvider = headers
    if let manager { host.plugins.vendor[OptimizelyPlatformPlugin.key] = manager }
    let values = try TestHost.values(properties, table: PlatformSettings.properties)
    visitorID = VisitorID(host: host, wish: values.boolean("vuid.enabled") ? .kept : .none)
    platform = try #require(
      DataPlatform(host: host, settings: PlatformSettings(values), client: testClient, visitorID: visitorID))
    visitorID.start()
    platform.start()
    host.time.run()
  }

  deinit {
    platform.stop()
    host.time.run()
  }

  /// A datafile with such an integration, and audiences that ask for such segments.
  func serve(host address: String? = "https://odp.example", key: String = "KEY", segments: [String] = ["a"]) throws {
    let integrations = address.map { #""integrations":[{"key":"odp","host":"\#($0)","publicKey":"\#(key)"}]"# } ?? ""
    let audiences = segments.map {
      #"{"id":"\#($0)","name":"\#($0)","conditions":["or",{"type":"third_party_dimension","name":"odp.audiences","match":"qualified","value":"\#($0)"}]}"#
    }
    let project = try Project(typed: audiences.joined(separator: ","), more: integrations)
    platform.configurationChanged(project.snapshot)
    host.time.run()
  }

  typealias Fetched = Result<[String], PlatformFailure>

  /// What a fetch has come to by now.
  func fetch(_ user: String, _ options: SegmentFetchOptions = []) -> Fetched? { begin(user, options).value }

  func begin(_ user: String, _ options: SegmentFetchOptions = []) -> Locked<Fetched?> {
    let found = Locked<Fetched?>(nil)
    platform.segments.fetch(Array(user.utf8), options) { result in
      found.value = result.map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
    host.time.run()
    return found
  }

  func send(_ action: String, _ identifiers: [(name: String, value: String)] = [("email", "a@b")]) -> PlatformFailure? {
    do throws(PlatformFailure) {
      try platform.events.send(type: nil, action: action) { () throws(PlatformFailure) in
        PlatformEventReporter.Content(identifiers: identifiers)
      }
    } catch {
      return error
    }
    host.time.run()
    return nil
  }

  var requests: [HTTPRequest] { host.network.requests }

  /// The actions of each request's events.
  var sentActions: [[String]] {
    requests.map { $0.text.components(between: #""action":""#, and: "\"") }
  }
}

/// The service's answer that a visitor is in such segments.
func qualified(_ names: String...) -> ScriptedTransport.Answer {
  let edges = names.map { #"{"node":{"name":"\#($0)","state":"qualified"}}"# }.joined(separator: ",")
  return answer(200, #"{"data":{"customer":{"audiences":{"edges":[\#(edges)]}}}}"#)
}

extension String {
  /// Every text that stands between the two.
  func components(between start: String, and end: String) -> [String] {
    var rest = Substring(self)
    var found: [String] = []
    while let from = rest.firstRange(of: start) {
      rest = rest[from.upperBound...]
      guard let to = rest.firstRange(of: end) else { break }
      found.append(String(rest[..<to.lowerBound]))
    }
    return found
  }
}
