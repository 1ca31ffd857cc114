<?php
// Installs WordPress once: php install.php SITE_FOLDER; prints the four users with their passwords as JSON.
$_SERVER += array(
	'HTTP_HOST'       => '127.0.0.1',
	'SERVER_PROTOCOL' => 'HTTP/1.1',
	'REQUEST_METHOD'  => 'GET',
	'REQUEST_URI'     => '/',
);
define( 'WP_INSTALLING', true );
ob_start();
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install( 'Test Site', 'admin', 'admin@example.test', true, '', 'admin-password' );
update_option( 'permalink_structure', '/%postname%/' );
update_option( 'timezone_string', 'Europe/Copenhagen' ); // not UTC, so that date and date_gmt differ

$roles = array( 'admin' => 'administrator', 'ed' => 'editor', 'auth' => 'author', 'sub' => 'subscriber' );
$users = array();
foreach ( $roles as $login => $role ) {
	$held = get_user_by( 'login', $login );
	$id   = $held ? $held->ID : wp_insert_user(
		array(
			'user_login'   => $login,
			'user_pass'    => $login . '-password',
			'user_email'   => "$login@example.test",
			'role'         => $role,
			'display_name' => ucfirst( $login ),
		)
	);
	list( $password ) = WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'gateway' ) );
	$users[ $login ]  = array(
		'id'                   => $id,
		'role'                 => $role,
		'username'             => $login,
		'application_password' => WP_Application_Passwords::chunk_password( $password ),
	);
}
$GLOBALS['wp_rewrite']->init();
flush_rewrite_rules( false );
ob_end_clean();
echo json_encode( $users );
