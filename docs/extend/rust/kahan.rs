//! Sums of f32 with compensation (Kahan 1965), in Rust: the structs are those of redhost/plugin.h,
//! as far as the strategy reads them.  rustc --edition 2021 -O --crate-type cdylib -C panic=abort kahan.rs -o kahan.so
//! SPDX-License-Identifier: MIT
use std::os::raw::{c_char, c_void};
use std::ptr::null;

#[repr(C)]
struct Op { struct_size: u32, id: u32 }
#[repr(C)]
struct Problem { struct_size: u32, element: u32, op: *const Op, device: *const c_void, max_n: u64 }
#[repr(C)]
struct Answer {
    struct_size: u32, why: u32, score: i32, launches: u32, finishes_on_host: u32, reserved: u32,
    scratch_bytes: u64, local_bytes: u64, depth: u64, reason: [u8; 160],
}
#[repr(C)]
struct Host {
    struct_size: u32, abi_minor: u32, before: [*const c_void; 5],
    fail: extern "C" fn(*const Host, i32, i32, *const c_char) -> i32,
    others: [*const c_void; 3],
    alloc: extern "C" fn(*const Host, u64) -> *mut c_void,
}
#[repr(C)]
struct Run {
    struct_size: u32, reserved: u32, first: u64, n: u64, input: *const c_void, host_input: *const f32,
    result: *const c_void, result_index: u64, host_result: *mut f32,
}
#[repr(C)]
pub struct Strategy {
    struct_size: u32, device_kinds: u32, texts: [*const c_char; 6], promises: u64, needs: u64,
    determinism: u32, n_params: u32, param_stride: u32, reserved: u32, params: *const c_void,
    query: extern "C" fn(*const Problem, *const i64, *mut Answer) -> i32,
    setup: extern "C" fn(*const Host, *const Problem, *const i64, *mut *mut c_void) -> i32,
    run: extern "C" fn(*mut c_void, *const Run) -> i32,
    teardown: *const c_void, extension: *const c_void,
}
#[repr(C)]
pub struct Plugin {
    magic: u32, struct_size: u32, versions: [u16; 4], n_strategies: u32, flags: u32,
    strategies: *const &'static Strategy, build: *const c_char,
}
unsafe impl Sync for Strategy {}
unsafe impl Sync for Plugin {}

const SUM: u32 = 1;
const F32: u32 = 10;

extern "C" fn query(problem: *const Problem, _: *const i64, answer: *mut Answer) -> i32 {
    let (problem, answer) = unsafe { (&*problem, &mut *answer) };
    if unsafe { (*problem.op).id } != SUM || problem.element != F32 {
        let reason = b"it makes only sums of f32\0";
        answer.why = 2; // RH_WHY_OP
        answer.reason[..reason.len()].copy_from_slice(reason);
        return 1; // RH_DECLINED
    }
    answer.score = 50;
    answer.finishes_on_host = 1;
    answer.depth = 3 + problem.max_n / (1 << 22);
    0
}

extern "C" fn setup(host: *const Host, problem: *const Problem, params: *const i64, me: *mut *mut c_void) -> i32 {
    let mut answer: Answer = unsafe { std::mem::zeroed() };
    if query(problem, params, &mut answer) != 0 {
        return unsafe { ((*host).fail)(host, 1, 0, answer.reason.as_ptr() as *const c_char) };
    }
    unsafe { *me = ((*host).alloc)(host, 1) };
    if unsafe { (*me).is_null() } { -2 } else { 0 } // RH_E_NOMEM
}

extern "C" fn run(_: *mut c_void, run: *const Run) -> i32 {
    let run = unsafe { &*run };
    let (mut sum, mut lost, mut plain) = (-0.0f32, 0.0f32, -0.0f32);
    for i in 0..run.n {
        let x = unsafe { *run.host_input.add((run.first + i) as usize) };
        let next = sum + (x - lost);
        lost = (next - sum) - (x - lost);
        sum = next;
        plain += x;
    }
    unsafe { *run.host_result = if sum.is_finite() { sum } else { plain } };
    0
}

static KAHAN: Strategy = Strategy {
    struct_size: std::mem::size_of::<Strategy>() as u32, device_kinds: 1,
    texts: [c"kahan".as_ptr(), c"sums of f32 with compensation".as_ptr(),
            c"The sequential loop, and beside it what each addition has lost.".as_ptr(),
            c"1.0".as_ptr(), c"the redhost authors".as_ptr(), c"MIT".as_ptr()],
    promises: 0, needs: 0, determinism: 3, n_params: 0, param_stride: 64, reserved: 0, params: null(),
    query, setup, run, teardown: null(), extension: null(),
};
static STRATEGIES: [&Strategy; 1] = [&KAHAN];

#[no_mangle]
pub static redhost_plugin_v1: Plugin = Plugin {
    magic: 0x31504852, struct_size: std::mem::size_of::<Plugin>() as u32, versions: [1, 2, 0, 0],
    n_strategies: 1, flags: 0, strategies: STRATEGIES.as_ptr(), build: c"Rust".as_ptr(),
};
