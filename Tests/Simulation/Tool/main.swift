import Glibc

// hoist-simulation FIRST COUNT [--forwarding] [--fault NAME] [--trace]: runs the simulations of COUNT seeds. With --forwarding
// some processes leave their events to others. With a fault until it is found.
var words = Array(CommandLine.arguments.dropFirst())
let isTracing = words.contains("--trace")
var faults: Set<Fault> = []
if let place = words.firstIndex(of: "--fault"), place + 1 < words.count {
  guard let fault = Fault(rawValue: words[place + 1]) else {
    print("There is no fault \(words[place + 1]); there are:", Fault.allCases.map(\.rawValue).joined(separator: " "))
    exit(2)
  }
  faults = [fault]
}
let forwards = words.contains("--forwarding") || faults.contains(where: \.needsForwarding)
if words.contains("--faults") {
  for fault in Fault.allCases { print(fault.rawValue) }
  exit(0)
}
guard words.count >= 2, let first = UInt64(words[0]), let count = UInt64(words[1]), !first.addingReportingOverflow(count).overflow
else {
  print("hoist-simulation FIRST COUNT [--forwarding] [--fault NAME] [--trace], or hoist-simulation --faults")
  exit(2)
}

func show(_ seed: UInt64, _ broken: Broken) {
  print("seed \(seed): \(broken.promise.rawValue): \(broken.detail)")
}

var brokenSeeds = 0
for seed in first..<first + count {
  let simulation = Simulation(seed: seed, faults: faults, forwards: forwards, isTracing: isTracing)
  guard let broken = simulation.run() else {
    for line in simulation.trace { print("  \(line)") }
    continue
  }
  brokenSeeds += 1
  show(seed, broken)
  if let fault = faults.first {
    print(broken.promise == fault.breaks ? "found after \(seed - first + 1) seeds" : "not what it breaks")
    exit(broken.promise == fault.breaks ? 0 : 1)
  }
  let again = Simulation(seed: seed, forwards: forwards, isTracing: true)
  _ = again.run()
  for line in again.trace { print("  \(line)") }
}
print("\(count) seeds, \(brokenSeeds) broken")
exit(brokenSeeds == 0 && faults.isEmpty ? 0 : 1)
