import HoistCore
import Testing

@testable import HoistUnleash

/// How the context is sent (UNL-01 to UNL-04, UNL-10, UNL-14, UNL-15, UNL-18, UNL-43, UNL-77; no client).
struct FrontendRequestTests {
  private func request(_ properties: [String: String], _ context: [String: String]) throws -> HTTPRequest {
    let options = try unleashOptions(properties)
    let url = try #require(options.url)
    let told = FrontendContext(
      appName: options.appName, environment: options.environment, context: context, properties: [:],
      drawnSessionID: "7")
    return FrontendRequest.make(options, url: url, told, headers: [])
  }

  @Test func theURLIsUsedAsGivenAndItsQueryReplaced() throws {
    let sent = try request(["url": "https://edge.test:8443/a/api/frontend/?old=1"], ["userId": "u 1"])
    #expect(sent.method == "GET")
    #expect(sent.url == "https://edge.test:8443/a/api/frontend/?appName=shop&environment=default&userId=u%201&sessionId=7")
  }

  @Test func propertiesAreEncodedNameAndValue() throws {
    let sent = try request([:], ["tier": "gold plus"])
    #expect(sent.url.hasSuffix("&properties%5Btier%5D=gold%20plus"))
  }

  @Test func anEmptyValueIsSent() throws {
    #expect(try request([:], ["userId": ""]).url.contains("userId=&"))
  }

  @Test func aVeryLongURLBecomesAPost() throws {
    let sent = try request([:], ["tier": String(repeating: "x", count: 9000)])
    #expect(sent.method == "POST")
    #expect(sent.url == "https://flags.test/api/frontend")
    let body = String(decoding: try #require(sent.body), as: UTF8.self)
    #expect(body.hasPrefix(#"{"context":{"appName":"shop","environment":"default","sessionId":"7","properties":{"tier":"xxx"#))
  }

  @Test func postCanBeChosen() throws {
    #expect(try request(["fetch_method": "POST"], [:]).method == "POST")
    let sent = try request(["fetch_method": "POST", "url": "https://edge.test/api/frontend/?old=1"], [:])
    #expect(sent.url == "https://edge.test/api/frontend/", "B.2: a query of the address's own is not kept here either")
  }

  @Test(arguments: ["flags.test/api", "ftp://flags.test", "https://", "http://flags.test/a b"])
  func aURLThatCannotBeUsedIsRefusedByName(_ url: String) {
    #expect {
      _ = try unleashOptions(["url": url])
    } throws: { error in
      (error as? ConfigurationFailure)?.property == "url"
    }
  }
}
