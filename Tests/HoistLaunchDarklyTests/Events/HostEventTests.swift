import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Events of the core become custom events (LD-40, LD-44; ready)")
struct HostEventTests {
  private func tracked(_ event: TrackedEvent) -> String {
    let rig = RecorderRig(identifies: false)
    rig.recorder.identify(RecorderRig.user)
    #expect(rig.recorder.track(event) == .ok)
    rig.flush()
    return rig.requests.first?.text ?? ""
  }

  @Test func withoutValueAndPropertiesThereAreNoSuchMembers() {
    let event = TrackedEvent(key: "buy", context: nil, value: nil, properties: [], unixMilliseconds: 5)
    #expect(
      tracked(event).hasSuffix(
        #",{"kind":"custom","key":"buy","creationDate":5,"context":{"kind":"user","key":"u","name":"n"}}]"#))
  }

  @Test func valueAndPropertiesAreMetricAndData() {
    let event = TrackedEvent(
      key: "buy", context: nil, value: 0,
      properties: [
        ("a", .string(Array("x\"".utf8))), ("b", .int(3)), ("c", .json(Array("[1]".utf8))), ("d", .json(Array("[".utf8))),
        ("e", .bool(true)), ("f", .null), ("g", .strings([Array("y".utf8)])),
      ], unixMilliseconds: 5)
    #expect(
      tracked(event).hasSuffix(
        #","data":{"a":"x\"","b":3,"c":[1],"d":null,"e":true,"f":null,"g":["y"]},"metricValue":0}]"#))
  }

  @Test func theViewOfAnEventSaysTheSame() {
    let rig = RecorderRig()
    let json = CText(#"[1,{"a":null}]"#)
    "key".withBytes { key in
      "a\"".withBytes { name in
        let properties = [
          EventView.Property(name: name, .text(name)), EventView.Property(name: key, .number(1.5)),
          EventView.Property(name: key, .boolean(true)), EventView.Property(name: key, .json(ByteView(json.buffer))),
        ]
        properties.withUnsafeBufferPointer {
          #expect(rig.recorder.track(EventView(key: key, value: 2, properties: $0, unixMilliseconds: 7)) == .ok)
        }
      }
    }
    rig.flush()
    #expect(
      rig.requests.first?.text.hasSuffix(#","data":{"a\"":"a\"","key":1.5,"key":true,"key":[1,{"a":null}]},"metricValue":2}]"#)
        == true)
  }
}
