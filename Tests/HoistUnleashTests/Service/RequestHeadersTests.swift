import HoistCore
import HoistTestSupport
import Testing

@testable import HoistUnleash

/// The headers of requests (UNL-11, UNL-14, UNL-21, UNL-22, UNL-46 to UNL-48, UNL-58, UNL-74, UNL-76, UNL-78; no client).
struct RequestHeadersTests {
  private func headers(
    _ properties: [String: String] = [:], _ purpose: RequestHeaders.Purpose = .frontendFetch(entityTag: nil),
    dynamic: [HTTPHeader] = []
  ) throws -> [HTTPHeader] {
    RequestHeaders(options: try unleashOptions(properties)).make(purpose, dynamic: dynamic)
  }

  @Test func theKeyIsSentBareUnderItsHeader() throws {
    #expect(try headers().value(of: "Authorization") == "*:dev.secret")
    let renamed = try headers(["key_header": "X-Flags-Key"])
    #expect(renamed.value(of: "x-flags-key") == "*:dev.secret")
    #expect(renamed.value(of: "Authorization") == nil)
  }

  @Test func everyRequestTellsApplicationConnectionAndLibrary() throws {
    let sent = try headers()
    #expect(sent.value(of: "unleash-appname") == "shop")
    #expect(sent.value(of: "unleash-sdk") == "unleash-hoist-sdk:\(HoistVersion.text)")
    let connection = try #require(sent.value(of: "unleash-connection-id"))
    #expect(connection.count == 36 && connection == connection.lowercased())
    #expect(sent.value(of: "Content-Type") == "application/json")
  }

  @Test("A forked child is a connection of its own (UNL-74, G9; forked)", .enabled(if: ForkedChild.isSupported))
  func aForkedChildSpeaksUnderItsOwnNames() throws {
    let drawn = try unleashOptions()
    let given = try unleashOptions(["instance_id": "shop-1"])
    let (connection, instance) = (drawn.connectionID, drawn.instanceID)
    let ending = ForkedChild.run {
      guard drawn.connectionID != connection, drawn.connectionID == drawn.connectionID else { return 1 }
      guard drawn.instanceID != instance else { return 2 }
      return given.instanceID == "shop-1" ? 0 : 3
    }
    #expect(ending == .exited(0))
    #expect(drawn.connectionID == connection && drawn.instanceID == instance)
  }

  @Test func anEmptyEntityTagIsNotSent() throws {
    #expect(try headers([:], .frontendFetch(entityTag: "")).value(of: "If-None-Match") == nil)
    #expect(try headers([:], .frontendFetch(entityTag: "W/\"7\"")).value(of: "If-None-Match") == "W/\"7\"")
  }

  @Test func theProviderWinsOverCustomHeadersAndThoseOverDefaults() throws {
    let custom = ["custom_headers": #"{"Authorization":"custom","X-One":"custom","x-two":"custom"}"#]
    let sent = try headers(custom, dynamic: [HTTPHeader("X-Two", "dynamic"), HTTPHeader("X-Three", "dynamic")])
    #expect(sent.value(of: "Authorization") == "custom")
    #expect(sent.value(of: "X-One") == "custom")
    #expect(sent.value(of: "X-Two") == "dynamic")
    #expect(sent.filter { $0.name.lowercased() == "x-two" }.count == 1)
    #expect(sent.value(of: "X-Three") == "dynamic")
  }

  @Test(arguments: ["Content-Type", "if-none-match", "UNLEASH-SDK", "Unleash-Extra", "unleash-appname"])
  func sensitiveHeadersCannotBeChanged(_ name: String) throws {
    let plain = try headers([:], .frontendFetch(entityTag: "\"1\""))
    let custom = try headers(
      ["custom_headers": "{\"\(name)\":\"changed\"}"], .frontendFetch(entityTag: "\"1\""),
      dynamic: [HTTPHeader(name, "changed too")])
    #expect(custom.value(of: name) == plain.value(of: name))
  }

  @Test func metricsCarryTheSameCustomHeaders() throws {
    let custom = ["custom_headers": #"{"X-One":"1"}"#]
    for purpose in [RequestHeaders.Purpose.frontendMetrics, .backendMetrics, .registration] {
      let sent = try headers(custom, purpose, dynamic: [HTTPHeader("Authorization", "fresh")])
      #expect(sent.value(of: "X-One") == "1")
      #expect(sent.value(of: "Authorization") == "fresh")
      #expect(sent.value(of: "Cache") == nil)
    }
  }

  @Test func backendRequestsTellIntervalInMillisecondsInstanceAndSpecification() throws {
    let options = ["mode": "backend", "refresh_interval": "20", "metrics_interval": "60", "instance_id": "i-1"]
    let fetch = try headers(options, .backendFetch(entityTag: nil))
    #expect(fetch.value(of: "unleash-interval") == "20000")
    #expect(fetch.value(of: "unleash-instanceid") == "i-1")
    #expect(fetch.value(of: "Unleash-Client-Spec") == "6.1.0")
    #expect(try headers(options, .backendMetrics).value(of: "unleash-interval") == "60000")
    let stream = try headers(options, .stream(lastEventID: "41"))
    #expect(stream.value(of: "Accept") == "text/event-stream")
    #expect(stream.value(of: "Last-Event-ID") == "41")
  }

  @Test func theFlavourTravelsInHeadersInFrontendMode() throws {
    let sent = try headers(["sdk_flavor": "openfeature", "sdk_flavor_version": "1.2"])
    #expect(sent.value(of: "unleash-sdk-flavor") == "openfeature")
    #expect(sent.value(of: "unleash-sdk-flavor-version") == "1.2")
  }

  /// A tag or an event id that would break the request, or make it huge, is not sent back (UNL-90, UNL-93, G2; no client).
  @Test func unfitTagsAndEventIDsAreNotEchoed() throws {
    let headers = RequestHeaders(options: try unleashOptions())
    for text in ["a\r\nX: y", "a\u{0}", "\u{7F}", "", String(repeating: "x", count: 2049)] {
      #expect(headers.make(.backendFetch(entityTag: text), dynamic: []).value(of: "If-None-Match") == nil)
      #expect(headers.make(.frontendFetch(entityTag: text), dynamic: []).value(of: "If-None-Match") == nil)
      #expect(headers.make(.stream(lastEventID: text), dynamic: []).value(of: "Last-Event-ID") == nil)
    }
    let longest = String(repeating: "x", count: 2048)
    #expect(headers.make(.backendFetch(entityTag: longest), dynamic: []).value(of: "If-None-Match") == longest)
    #expect(headers.make(.stream(lastEventID: "7"), dynamic: []).value(of: "Last-Event-ID") == "7")
  }
}
