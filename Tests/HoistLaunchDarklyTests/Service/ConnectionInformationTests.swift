import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Connection information (LD-16, LD-74, protocol 5.8; no client)") struct ConnectionInformationTests {
  private typealias Happening = ConnectionInformation.Happening

  private func after(_ happenings: [Happening], at now: Int64 = 1000) -> ConnectionInformation {
    var information = ConnectionInformation()
    for happening in happenings { information.note(happening, at: now) }
    return information
  }

  @Test("each row of the table has its effect")
  func rowsHaveTheirEffects() {
    #expect(after([]).mode == .offline)
    #expect(after([.goingOnline(streams: true)]).mode == .establishingStreamingConnection)
    #expect(after([.goingOnline(streams: false)]).mode == .polling)
    var streaming = after([.goingOnline(streams: true), .confirmed])
    #expect(streaming.lastKnownFlagValidityUnixMilliseconds == 1000)
    streaming.note(.flagsArrived, at: 2000)
    #expect(streaming.mode == .streaming && streaming.lastKnownFlagValidityUnixMilliseconds == nil)
    streaming.note(.flagsArrived, at: 3000)
    #expect(streaming.lastKnownFlagValidityUnixMilliseconds == nil)
    streaming.note(.streamLost, at: 4000)
    #expect(streaming.mode == .establishingStreamingConnection && streaming.lastKnownFlagValidityUnixMilliseconds == 4000)
    streaming.note(.streamLost, at: 5000)
    #expect(streaming.lastKnownFlagValidityUnixMilliseconds == 4000)
    streaming.note(.streamShutDown, at: 6000)
    #expect(streaming.mode == .offline && streaming.lastKnownFlagValidityUnixMilliseconds == 4000)
    var ended = after([.goingOnline(streams: true), .flagsArrived])
    ended.note(.goingOffline, at: 7000)
    #expect(ended.mode == .offline && ended.lastKnownFlagValidityUnixMilliseconds == 7000)
    ended.note(.goingOffline, at: 8000)
    #expect(ended.lastKnownFlagValidityUnixMilliseconds == 7000)
    let polling = after([.goingOnline(streams: false), .flagsArrived])
    #expect(polling.mode == .polling && polling.lastKnownFlagValidityUnixMilliseconds == 1000)
    #expect(after([.goingOnline(streams: false), .goingOffline]).mode == .offline)
  }

  @Test("failures leave their time, and a reason where there is one")
  func failuresLeaveTheirTime() {
    let reasons: [(Happening, ConnectionInformation.FailureReason)] = [
      (.unauthorized, .unauthorized), (.requestFailed(status: 503), .httpError(503)),
      (.unreachable("no route"), .unknownError("no route")), (.unreachable(""), .unknownError("Unknown Error")),
      (.streamFailed, .none),
    ]
    for (happening, reason) in reasons {
      let information = after([.goingOnline(streams: true), happening])
      #expect(information.lastFailureReason == reason)
      #expect(information.lastFailedConnectionUnixMilliseconds == 1000)
    }
    // An error of the stream leaves the reason of an earlier one.
    #expect(after([.requestFailed(status: 500), .streamFailed]).lastFailureReason == .httpError(500))
    #expect(after([.requestFailed(status: 500), .goingOffline]).lastFailureReason == .httpError(500))
  }

  @Test("it is kept in the vendor's form, and read back")
  func theFormIsTheVendors() throws {
    var information = after([.goingOnline(streams: true), .requestFailed(status: 503)], at: 978_307_200_500)
    information.lastKnownFlagValidityUnixMilliseconds = 978_307_201_000
    #expect(
      String(decoding: information.json, as: UTF8.self)
        == #"{"currentConnectionMode":"establishingStreamingConnection","lastConnectionFailureReason":{"type":"httpError","payload":503},"lastKnownFlagValidity":1,"lastFailedConnection":0.5}"#
    )
    for reason in [
      ConnectionInformation.FailureReason.none, .unauthorized, .httpError(0), .unknownError("a \"b\""),
    ] {
      information.lastFailureReason = reason
      var read = try #require(ConnectionInformation(json: information.json))
      #expect(read.mode == .offline)
      read.mode = information.mode
      #expect(read == information)
    }
  }

  @Test(
    "G2: what cannot be read is left out",
    arguments: [
      "", "[]", "{", #"{"lastConnectionFailureReason":7,"lastFailedConnection":1e300}"#,
      #"{"lastConnectionFailureReason":{"type":"new"},"lastKnownFlagValidity":"x","lastFailedConnection":-1e300}"#,
      #"{"lastConnectionFailureReason":{"type":"unknownError","payload":5e400}}"#,
    ])
  func unreadableIsLeftOut(text: String) {
    let information = ConnectionInformation(json: Array(text.utf8)) ?? ConnectionInformation()
    #expect(information == ConnectionInformation() || information.lastFailureReason == .unknownError(""))
    #expect(information.lastFailedConnectionUnixMilliseconds == nil)
  }

  @Test("It outlives the process, but for the mode (LD-74; second process)")
  func itOutlivesTheProcess() throws {
    let cache = MemoryCacheManager()
    let first = try SynchronizerRig(["streaming_mode": "polling"], manager: cache)
    first.begin()
    first.polls.last?.complete(answer(503))
    first.host.settle {
      first.information.lastFailureReason == .httpError(503) && cache.load(key: ConnectionState.storeKey) != nil
    }
    let saved = first.information
    first.host.settle {
      cache.load(key: ConnectionState.storeKey).flatMap { ConnectionInformation(json: $0) }?.lastFailureReason == .httpError(503)
    }
    let second = try SynchronizerRig(manager: cache)
    second.host.settle { second.information.lastFailureReason != .none }
    #expect(second.information.lastFailureReason == saved.lastFailureReason)
    #expect(second.information.lastFailedConnectionUnixMilliseconds == saved.lastFailedConnectionUnixMilliseconds)
    #expect(second.information.mode == .offline)
  }

  @Test("A data source that has ended says so; going online begins anew (LD-92; refused, offline, closed)")
  func endedSourcesSaySo() throws {
    let rig = try SynchronizerRig()
    #expect(rig.dataSource.state == .offline)
    rig.begin()
    rig.host.network.streams.last?.open(status: 403)
    rig.host.time.run()
    #expect(rig.dataSource.state == .shutDown && rig.dataSource.sinceUnixMilliseconds == rig.now)
    rig.host.time.advance(milliseconds: 10)
    rig.begin()
    #expect(rig.dataSource.state == .initializing && rig.dataSource.sinceUnixMilliseconds == rig.now)
    #expect(rig.dataSource.lastFailure?.status == 403)
    rig.synchronizer.end()
    #expect(rig.dataSource.state == .offline)
    rig.connection.stop()
    #expect(rig.dataSource.state == .shutDown)
  }
}
