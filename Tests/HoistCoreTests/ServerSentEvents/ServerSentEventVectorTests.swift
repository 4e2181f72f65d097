import Foundation
import HoistCore
import HoistTestSupport
import Testing

/// The vectors `launchdarkly/sse.json`, where the shared folder is at hand.
@Suite struct ServerSentEventVectorTests {
  private struct File: Decodable {
    struct Case: Decodable {
      struct Event: Decodable, Equatable {
        var type: String
        var data: String
        var id: String
      }
      var name: String
      var chunks_base64: [String]
      var events: [Event]
      var retry_ms: Int64?
    }
    var cases: [Case]
  }

  private static let bytes = SharedFolder.bytes("conformance/launchdarkly/sse.json")

  @Test(.enabled(if: bytes != nil, "needs the shared vectors"))
  func vectorsGiveTheListedEvents() throws {
    let file = try JSONDecoder().decode(File.self, from: Data(#require(Self.bytes)))
    #expect(file.cases.count > 100)
    for vector in file.cases {
      let chunks = try vector.chunks_base64.map { [UInt8](try #require(Data(base64Encoded: $0))) }
      var events: [File.Case.Event] = []
      var retry: Int64?
      for item in items(chunks) {
        switch item {
        case .event(let event):
          events.append(.init(type: event.type, data: String(decoding: event.data, as: UTF8.self), id: event.id))
        case .retry(let milliseconds): retry = milliseconds
        case .comment: break
        case .failed(let error): Issue.record("\(vector.name): \(error)")
        }
      }
      #expect(events == vector.events, "\(vector.name)")
      #expect(retry == vector.retry_ms, "\(vector.name)")
    }
  }
}
