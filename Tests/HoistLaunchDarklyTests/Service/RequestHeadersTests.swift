import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Headers of all requests (protocol 2.1)") struct RequestHeadersTests {
  private func headers(_ properties: [String: String] = [:], seed: UInt64 = 7) throws -> RequestHeaders {
    let values = try TestHost.values(["mobile_key": "mob-1"].merging(properties) { $1 }, table: LaunchDarklyProperties.table)
    return RequestHeaders(settings: try LaunchDarklySettings(values), host: TestHost(seed: seed))
  }

  @Test("Key, agent and instance go with every request; the instance stays (LD-89; no client)")
  func theClientIsNamed() throws {
    let headers = try headers()
    let made = headers.make([])
    #expect(made.value(of: "Authorization") == "api_key mob-1")
    #expect(made.value(of: "User-Agent") == "HoistClient/\(HoistVersion.text)")
    let instance = try #require(made.value(of: "X-LaunchDarkly-Instance-Id"))
    let digits = instance.split(separator: "-").map(\.count)
    #expect(digits == [8, 4, 4, 4, 12] && instance.utf8.dropFirst(14).first == UInt8(ascii: "4"))
    #expect(headers.make([]).value(of: "X-LaunchDarkly-Instance-Id") == instance)
    #expect(try self.headers(seed: 8).instanceID != instance)
    #expect(made.count == 3)
  }

  @Test(
    "2.1: a wrapper needs a name",
    arguments: [
      ("", "", nil as String?), ("", "2", nil), ("Py", "", "Py"), ("Py", "2.1", "Py/2.1"),
    ])
  func wrappersNeedAName(name: String, version: String, header: String?) throws {
    let headers = try headers(["wrapper_name": name, "wrapper_version": version])
    #expect(headers.make([]).value(of: "X-LaunchDarkly-Wrapper") == header)
  }

  @Test("2.1: tags of the application go along; none without")
  func tagsGoAlong() throws {
    let headers = try headers(["application_id": "a b", "application_version": "?", "application_version_name": "n"])
    #expect(headers.make([]).value(of: "X-LaunchDarkly-Tags") == "application-id/a-b application-version-name/n")
  }

  @Test("2.1: where contexts are completed, the library stands in for an application without an id", arguments: ["", "a/b"])
  func tagsNameTheLibrary(id: String) throws {
    let headers = try headers(["auto_env_attributes": "true", "application_id": id, "application_name": "shop"])
    let version = HoistVersion.text
    #expect(
      headers.make([]).value(of: "X-LaunchDarkly-Tags")
        == "application-id/hoist-client-sdk application-name/hoist-client-sdk "
        + "application-version/\(version) application-version-name/\(version)")
  }

  @Test("2.1: additional headers replace those of the same name, whatever the case of its letters")
  func additionalHeadersReplace() throws {
    let headers = try headers(["additional_headers": #"{"AUTHORIZATION":"x","Accept":"y","Z":"z"}"#])
    let made = headers.make([HTTPHeader("Accept", "text/event-stream")])
    #expect(made.filter { $0.name.lowercased() == "authorization" }.map(\.value) == ["x"])
    #expect(made.filter { $0.name.lowercased() == "accept" }.map(\.value) == ["y"] && made.value(of: "Z") == "z")
  }

  @Test("The hash of secure mode is a query, encoded (LD-91; starting)")
  func theHashIsAQuery() throws {
    let rig = try SynchronizerRig(["secure_mode_hash": "a+b", "evaluation_reasons": "true"])
    rig.begin()
    #expect(rig.host.network.streams.last?.request.url.hasSuffix("?withReasons=true&h=a%2Bb") == true)
  }

  @Test("G2: a tag or an event id that cannot be a header is not sent")
  func unsafeValuesAreNotSent() throws {
    let rig = try SynchronizerRig(["streaming_mode": "polling"])
    rig.begin(entityTag: "a\nX-B: c")
    #expect(rig.polls.last?.request.header("If-None-Match") == nil)
  }
}
