internal import HoistBase
package import HoistJSON

/// Counts of evaluations over a span of time (protocol B.3, D.4, rows UNL-17, UNL-61).
package struct MetricsBucket: Sendable, Equatable {
  package struct Toggle: Sendable, Equatable {
    package var yes: UInt64 = 0
    package var no: UInt64 = 0
    package var variants: [String: UInt64] = [:]

    var isZero: Bool { yes == 0 && no == 0 && variants.values.allSatisfy { $0 == 0 } }
  }

  package var startUnixMilliseconds: Int64
  package var toggles: [String: Toggle] = [:]

  package init(startUnixMilliseconds: Int64) { self.startUnixMilliseconds = startUnixMilliseconds }

  package var isEmpty: Bool { toggles.values.allSatisfy(\.isZero) }

  package mutating func count(_ name: String, enabled: Bool, times: UInt64 = 1) {
    if enabled { toggles[name, default: Toggle()].yes &+= times } else { toggles[name, default: Toggle()].no &+= times }
  }

  package mutating func count(_ name: String, variant: String, times: UInt64 = 1) {
    toggles[name, default: Toggle()].variants[variant, default: 0] &+= times
  }

  /// Adds an older bucket that could not be sent; the earlier start stays.
  package mutating func merge(_ older: MetricsBucket) {
    startUnixMilliseconds = min(startUnixMilliseconds, older.startUnixMilliseconds)
    for (name, counts) in older.toggles {
      var toggle = toggles[name, default: Toggle()]
      toggle.yes &+= counts.yes
      toggle.no &+= counts.no
      toggle.variants.merge(counts.variants, uniquingKeysWith: &+)
      toggles[name] = toggle
    }
  }

  /// The member "toggles": names in order, counters with only zeroes left out.
  package func writeToggles(to writer: inout JSONWriter) {
    writer.object { writer in
      for (name, toggle) in toggles.sorted(by: { $0.key < $1.key }) where !toggle.isZero {
        writer.key(name)
        writer.object { writer in
          writer.key("yes")
          writer.int(toggle.yes)
          writer.key("no")
          writer.int(toggle.no)
          writer.key("variants")
          writer.object { writer in
            for (variant, count) in toggle.variants.sorted(by: { $0.key < $1.key }) {
              writer.key(variant)
              writer.int(count)
            }
          }
        }
      }
    }
  }
}
